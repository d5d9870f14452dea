package e2e

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors/pace"
	"nightporter/internal/app"
	"nightporter/internal/config"
	"nightporter/simulator"
	"nightporter/state"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// inProcess hands requests to a handler without a socket, so that a bubble of
// synctest can hold them.
type inProcess struct{ http.Handler }

func (p inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w.Result(), nil
}

// outcome is how a run came back.
type outcome struct {
	reports []engine.Report
	err     error
}

// slow opens a house whose platform takes one request a minute.
func (h *house) slow(t *testing.T) *app.App {
	t.Helper()
	path := filepath.Join(h.dir, "nightporter.yaml")
	h.write(path, h.config)
	cfg, err := config.Load(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := app.Open(t.Context(), cfg, app.Options{
		Jobs: true, State: h.stateFile(), Command: "nightporter serve",
		Transport: func(string) http.RoundTripper { return inProcess{h.sim} },
	})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// untilWriteWaits runs the job of guests until a write waits for its turn.
func untilWriteWaits(t *testing.T, a *app.App) <-chan outcome {
	t.Helper()
	over := make(chan outcome, 1)
	go func() {
		reports, err := a.Sync(t.Context(), []record.Binding{"guests"}, engine.Options{Yes: true})
		over <- outcome{reports, err}
	}()
	for range 3600 {
		select {
		case o := <-over:
			t.Fatalf("the run ended before a write waited: %+v", o)
		case <-time.After(time.Second):
		}
		if a.Paces()["platform"].Queue[pace.Write] > 0 {
			return over
		}
	}
	t.Fatal("no write waited for its turn in an hour")
	return nil
}

func slowHouse(t *testing.T) *house {
	t.Helper()
	h := newHouse(t, simulator.Options{})
	h.edit("    preset: platform\n", "    preset: platform\n    limits: { per_minute: 1 }\n")
	h.exec(`INSERT INTO guests (first_name, last_name, phone) VALUES ('Ada', 'Example', '+390550000001')`)
	return h
}

// A write that waits for its turn is not sent when somebody pauses it meanwhile; it
// is sent once when the pause is over.
func TestPausedWhileItWaits(t *testing.T) {
	h := slowHouse(t)
	synctest.Test(t, func(t *testing.T) {
		a := h.slow(t)
		defer a.Close()
		over := untilWriteWaits(t, a)
		desk, err := state.Open(t.Context(), h.stateFile(), state.Options{SkipCheck: true})
		if err != nil {
			t.Fatal(err)
		}
		defer desk.Close()
		if err := desk.Pause(t.Context(), record.Pause{Scope: record.PauseSystem, Name: "platform", Since: time.Now()}); err != nil {
			t.Fatal(err)
		}
		first := <-over
		if first.err != nil {
			t.Fatal(first.err)
		}
		if n := h.sim.Counts().Mutating; n != 0 {
			t.Fatalf("%d writes were sent after the pause, want none", n)
		}
		if n := total(first.reports, "guests", "postponed"); n != 1 {
			t.Errorf("%d changes were postponed, want 1", n)
		}
		if open, err := a.Store.Unsettled(t.Context(), "guests"); err != nil || len(open) > 0 {
			t.Errorf("%d changes are not settled (error %v), want none: nothing was sent", len(open), err)
		}
		if _, err := desk.Resume(t.Context(), "", ""); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Sync(t.Context(), []record.Binding{"guests"}, engine.Options{}); err != nil {
			t.Fatal(err)
		}
		if n, made := h.sim.Counts().Mutating, h.sim.Len("contacts"); n != 1 || made != 1 {
			t.Errorf("after the pause %d writes were sent and %d contacts are there, want 1 and 1", n, made)
		}
	})
}

// A write that waits for its turn is not sent when another process takes the state
// file over meanwhile, and stays open for that one to look up.
func TestTakenOverWhileItWaits(t *testing.T) {
	h := slowHouse(t)
	synctest.Test(t, func(t *testing.T) {
		a := h.slow(t)
		defer a.Close()
		over := untilWriteWaits(t, a)
		other, err := state.Open(t.Context(), h.stateFile(), state.Options{SkipCheck: true})
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		if err := other.TakeOver(t.Context(), "another", 0, time.Now()); err != nil {
			t.Fatal(err)
		}
		if o := <-over; !errors.Is(o.err, state.ErrFenced) {
			t.Errorf("the run ended with %v, want %v", o.err, state.ErrFenced)
		}
		if n := h.sim.Counts().Mutating; n != 0 {
			t.Errorf("%d writes were sent after the other took over, want none", n)
		}
		if open, err := other.Unsettled(t.Context(), "guests"); err != nil || len(open) != 1 {
			t.Errorf("%d changes are open for the other (error %v), want 1", len(open), err)
		}
	})
}
