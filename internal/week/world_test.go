package week

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
	_ "time/tzdata"

	_ "github.com/mattn/go-sqlite3"

	"nightporter/internal/app"
	"nightporter/internal/config"
	"nightporter/internal/lives"
	"nightporter/internal/serve"
	"nightporter/simulator"
	"nightporter/sync/engine"
)

// hookAt is where the configuration listens for webhooks.
const hookAt = "127.0.0.1:8081"

// world is the platform, the hotel and the daemon between them, all by one clock.
type world struct {
	*hotel
	t      *testing.T
	zone   *time.Location
	sim    *simulator.Sim
	db     *sql.DB // the hotel's, by the back door
	street *street
	log    *slog.Logger

	life      *lives.Life // nil while none runs
	lives     int
	stateFile string
	back      time.Time // when the next one starts, while none runs

	mu    sync.Mutex
	steps int      // durable steps and requests of all lives
	sends int      // of those, at which a change was sent, and its answer not kept
	told  []string // types of events that were sent

	every, phase int // it is killed at steps phase, phase+every, …; every 0: never
	kills        int
	posts        []*http.Request // webhooks that nobody took yet
	bodies       [][]byte        // of them
	todo         []deed
	delays       []delay
}

func newWorld(t *testing.T, h *hotel, every, phase int) *world {
	w := &world{
		hotel: h, t: t, street: &street{doors: map[string]*door{}}, every: every, phase: phase,
		sim: simulator.New(simulator.Options{IDs: simulator.Sequential, KeepRequests: 1}),
		log: slog.New(slog.DiscardHandler),
	}
	if testing.Verbose() && os.Getenv("NIGHTPORTER_LOG") != "" {
		w.log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	var err error
	if w.zone, err = time.LoadLocation("Europe/Rome"); err != nil {
		t.Fatal(err)
	}
	if w.db, err = sql.Open("pgx", h.dsn); err != nil {
		t.Fatal(err)
	}
	w.stateFile = w.path("state-0.db")
	return w
}

// sleep lets the bubble's clock go on.
func (w *world) sleep(d time.Duration) { <-time.After(d) }

func (w *world) exec(query string, args ...any) {
	w.t.Helper()
	if _, err := w.db.ExecContext(w.t.Context(), query, args...); err != nil {
		w.t.Fatalf("%s: %v", query, err)
	}
}

// column is the rows of a query of one column.
func (w *world) column(query string, args ...any) (out []string) {
	w.t.Helper()
	rows, err := w.db.QueryContext(w.t.Context(), query, args...)
	if err != nil {
		w.t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	for rows.Next() {
		var s sql.NullString
		if err := rows.Scan(&s); err != nil {
			w.t.Fatal(err)
		}
		out = append(out, s.String)
	}
	if err := rows.Err(); err != nil {
		w.t.Fatal(err)
	}
	return out
}

// one is a single value of the hotel, "" where there is no row.
func (w *world) one(query string, args ...any) string {
	w.t.Helper()
	if all := w.column(query, args...); len(all) > 0 {
		return all[0]
	}
	return ""
}

// step counts what the daemon does.
func (w *world) step(l *lives.Life) func(string) {
	return func(name string) {
		if strings.HasPrefix(name, "before ") || name == "after beat" {
			l.Alive() // on the disk it is as it was after the step before
			return
		}
		if !l.Dead() {
			w.mu.Lock()
			w.steps++
			if name == "after send" {
				if w.sends++; w.every > 0 && w.sends%often == w.phase%often {
					l.Arm(1, w.left())
				}
			}
			w.mu.Unlock()
		}
		l.Step(name)
	}
}

// options is how systems and state are opened.
func (w *world) options(step func(string), dead func() bool) app.Options {
	return app.Options{
		Jobs: true, Log: w.log, Command: "week", Step: step,
		Transport: func(string) http.RoundTripper { return wire{w.sim.Transport(), dead} },
		Events:    ear{w}, Look: tick,
	}
}

func (w *world) load(state string) (*config.Config, error) {
	return config.Load(w.configured(w.t, state), nil)
}

// start starts the daemon. It may be killed before its jobs run.
func (w *world) start() {
	w.t.Helper()
	w.lives++
	var err error
	w.life, err = lives.Begin(w.stateFile, func(l *lives.Life) serve.Options {
		if w.every > 0 {
			w.mu.Lock()
			l.Arm(w.every-(w.steps-w.phase+w.every)%w.every, w.left())
			w.mu.Unlock()
		}
		return serve.Options{
			Load: func() (*config.Config, error) { return w.load(l.State) }, Log: w.log, Look: tick,
			App: w.options(w.step(l), l.Dead), Listen: w.street.listen,
		}
	})
	switch {
	case w.life != nil && w.life.Dead():
	case err != nil:
		w.t.Fatal(err)
	}
}

// left is what a life that is killed leaves behind.
func (w *world) left() string { return w.path(fmt.Sprintf("state-%d.db", w.lives)) }

// bury ends what was killed; the service manager starts it anew after a minute.
func (w *world) bury() {
	w.t.Helper()
	step, err := w.life.Kill()
	if err != nil {
		w.t.Fatal(err)
	}
	if os.Getenv("NIGHTPORTER_LOG") != "" {
		w.t.Logf("%s killed at step %d, %s", time.Now().In(w.zone).Format("Mon 15:04:05"), w.steps, step)
	}
	w.kills++
	w.stateFile = w.left()
	w.life, w.back = nil, time.Now().Add(time.Minute)
}

// stop ends the daemon as a service manager does.
func (w *world) stop() {
	w.t.Helper()
	if w.life == nil {
		return
	}
	if err := w.life.Stop(); err != nil && !errors.Is(err, lives.ErrDead) {
		w.t.Errorf("serve ended with %v", err)
	}
	w.stateFile, w.life = w.life.State, nil
}

// spare has it killed no more.
func (w *world) spare() {
	w.every = 0
	if w.life == nil {
		return
	}
	w.stop()
	w.start()
}

// byHand does something with the program while no daemon runs.
func (w *world) byHand(do func(*app.App)) {
	w.t.Helper()
	cfg, err := w.load(w.stateFile)
	if err != nil {
		w.t.Fatal(err)
	}
	a, err := app.Open(context.Background(), cfg, w.options(nil, func() bool { return false }))
	if err != nil {
		w.t.Fatal(err)
	}
	defer a.Close()
	do(a)
}

// firstSync is the owner's, with a yes.
func (w *world) firstSync() {
	w.t.Helper()
	w.byHand(func(a *app.App) {
		reports, err := a.Sync(context.Background(), nil, engine.Options{Yes: true})
		if err != nil {
			for _, r := range reports {
				w.t.Logf("%s: %v %v", r.Binding, r.Counts, r.Halts)
			}
			w.t.Fatal(err)
		}
	})
}

// wire carries requests of one life; a dead one reaches nobody.
type wire struct {
	http.RoundTripper
	dead func() bool
}

// RoundTrip carries one request.
func (w wire) RoundTrip(r *http.Request) (*http.Response, error) {
	if w.dead() {
		return nil, lives.ErrDead
	}
	resp, err := w.RoundTripper.RoundTrip(r)
	if w.dead() {
		return nil, lives.ErrDead
	}
	return resp, err
}

// ear is who is told of events.
type ear struct{ w *world }

// RoundTrip takes one event.
func (e ear) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	e.w.heard(body)
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: http.NoBody, Request: r}, nil
}
