package e2e

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nightporter/simulator"
	"nightporter/state"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// as uses the state of another installation for what follows.
func (h *house) as(n int) { h.lives = n }

// installs is the name of the installation whose state is used.
func (h *house) installs() string {
	h.t.Helper()
	a := h.open()
	defer a.Close()
	return a.Engine.Install
}

// letGo answers what a job stands before.
func (h *house) letGo(b record.Binding) {
	h.t.Helper()
	s, err := state.Open(h.t.Context(), h.stateFile(), state.Options{})
	if err != nil {
		h.t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.AnswerHalts(h.t.Context(), b, record.Accepted, "somebody"); err != nil {
		h.t.Fatal(err)
	}
}

// caller is a new contact of the platform.
func (h *house) caller(n int) {
	h.sim.Put("contacts", map[string]any{"first_name": fmt.Sprint("Caller", n), "last_name": "Rossi", "phone_number": fmt.Sprintf("+39055%07d", n)})
}

// standsForeign runs, and makes sure that the guests stand still for another
// installation, and that nothing is written, however often.
func (h *house) standsForeign(other string, made int) {
	h.t.Helper()
	before, rows := h.sim.Counts().Mutating, h.one(`SELECT count(*) || ' ' || sum(version) FROM guests`)
	for range 3 {
		reports, err := h.trySync(engine.Options{Yes: true})
		if !errors.Is(err, engine.ErrHalted) {
			h.t.Fatalf("got %v, want it halted", err)
		}
		halts := 0
		for _, r := range reports {
			for _, halt := range r.Halts {
				halts++
				if r.Binding != "guests" || halt.Cause != "foreign" || halt.Side != record.Right {
					h.t.Errorf("%s: got %+v", r.Binding, halt)
				}
				for _, word := range []string{"pms", fmt.Sprintf("installation %s made %d", other, made), "nightporter resume guests --accept"} {
					if !strings.Contains(halt.Why, word) {
						h.t.Errorf("%q is missing in: %s", word, halt.Why)
					}
				}
			}
		}
		if halts != 1 {
			h.t.Errorf("got %d halts, want 1", halts)
		}
	}
	if got := h.one(`SELECT count(*) || ' ' || sum(version) FROM guests`); got != rows || h.sim.Counts().Mutating != before {
		h.t.Errorf("something was written: %s, want %s", got, rows)
	}
}

// Two installations with a state each at work on the same systems: the marks of the one
// that was there before stop nothing; what it makes from then on does, before the second
// writes anything more.
func TestF11_TwoInstallations(t *testing.T) {
	h := newHouse(t, simulator.Options{})
	for n := range 3 {
		h.caller(n)
	}
	h.sync()
	first := h.installs()
	h.as(1)
	for range 3 {
		h.sync()
	}
	second := h.installs()
	if first == second {
		t.Fatal("both installations have one name")
	}
	h.caller(3)
	h.as(0)
	h.sync()
	h.as(1)
	h.caller(4)
	h.standsForeign(first, 1)
	h.letGo("guests")
	h.sync() // it makes the last caller, with a mark of its own
	h.sync()
	h.as(0)
	h.standsForeign(second, 1)
	h.letGo("guests")
	h.sync()
	h.quiet()
	h.caller(5)
	h.sync()
	h.as(1)
	h.sync() // one that was let work is asked about no more
	h.quiet()
	if g, c := h.one(`SELECT count(*) FROM guests`), h.sim.Len("contacts"); g != "6" || c != 6 {
		t.Errorf("%s guests and %d contacts, want 6", g, c)
	}
}

// A state that is begun anew, and one that was put back to an older copy, see the marks
// of before and of themselves, and stand still for neither.
func TestF11_StateBegunAnewOrPutBack(t *testing.T) {
	h := newHouse(t, simulator.Options{})
	for n := range 3 {
		h.caller(n)
	}
	h.sync()
	h.sync()
	backup := filepath.Join(t.TempDir(), "copy.db")
	s, err := state.Open(t.Context(), h.stateFile(), state.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Backup(t.Context(), backup); err != nil {
		t.Fatal(err)
	}
	s.Close()
	h.caller(3)
	h.sync()
	h.as(1)
	if _, err := state.Restore(t.Context(), backup, h.stateFile(), false, time.Now()); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		h.sync()
	}
	h.as(2)
	for range 3 {
		h.sync()
	}
	h.quiet()
	if g, c := h.one(`SELECT count(*) FROM guests`), h.sim.Len("contacts"); g != "4" || c != 4 {
		t.Errorf("%s guests and %d contacts, want 4", g, c)
	}
}
