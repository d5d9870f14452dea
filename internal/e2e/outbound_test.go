package e2e

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/internal/app"
	"nightporter/internal/config"
	"nightporter/simulator"
	"nightporter/state"
	"nightporter/sync/engine"
)

// desk is a platform that places calls, a table of those that are wanted, and the job
// between them, all by the clock of a bubble.
type desk struct {
	*house
	rng    *rand.Rand
	onStep func(name string)

	options engine.Options // of a run, beside the yes

	troubles []int // faults of calls, and the one of the history
	lies     int
}

const deskSchema = `CREATE TABLE call_requests (id INTEGER PRIMARY KEY AUTOINCREMENT, number TEXT, text TEXT, call_id TEXT, outcome TEXT,
	called_at TEXT, seconds INTEGER, summary TEXT)`

const deskConfig = `
time_zone: Europe/Rome
first_run: go
settle: 10m
guards: { creates: 10000, updates: 10000, changed: 100%%, shrink: 100%%, unshown: 100%% }
systems:
  platform:
    preset: platform
    base_url: http://platform.test
    key: file:%s
  desk:
    type: sqlite
    address: %s
    tables:
      requests: { table: call_requests, key: id }
jobs:
  outbound:
    kind: record
    between: { desk: requests, platform: outbound_calls }
    match: [request]
    create: { desk: never, platform: always }
    gone: { desk: ignore, platform: ignore }
    fields:
      request:   { desk: id,        platform: custom_context.request, to: platform }
      phone:     { desk: number,    platform: phone_number, to: platform, region: IT }
      text:      { desk: text,      platform: custom_context.text, to: platform }
      call_id:   { desk: call_id,   platform: id, to: desk }
      outcome:   { desk: outcome,   platform: outcome, to: desk }
      called_at: { desk: called_at, platform: start_time, to: desk, as: instant }
      seconds:   { desk: seconds,   platform: duration, to: desk, as: number }
      summary:   { desk: summary,   platform: summary, to: desk }
`

func newDesk(t *testing.T, seed uint64) *desk {
	t.Helper()
	h := &house{t: t, dir: ramDir(t), sim: simulator.New(simulator.Options{IDs: simulator.Sequential, Seed: seed})}
	file := filepath.Join(h.dir, "desk.db")
	var err error
	if h.db, err = sql.Open("sqlite3", "file:"+file+"?_busy_timeout=5000&_synchronous=OFF"); err != nil {
		t.Fatal(err)
	}
	h.exec(deskSchema)
	key := filepath.Join(h.dir, "platform.key")
	h.write(key, simulator.DefaultKey)
	h.config = fmt.Sprintf(deskConfig, key, file)
	return &desk{house: h, rng: rand.New(rand.NewPCG(seed, 5))}
}

func (d *desk) close() {
	if err := d.db.Close(); err != nil {
		d.t.Error(err)
	}
}

// sleep lets the bubble's clock go on.
func (d *desk) sleep(t time.Duration) { <-time.After(t) }

// run runs the job once. Killed at a step, it leaves what the disk has then. An error of
// the platform ends a run like any other.
func (d *desk) run(killAt int) (killed bool) {
	d.t.Helper()
	steps, opened := 0, false // what is killed while it opens has not begun
	d.step = func(name string) {
		if d.onStep != nil {
			d.onStep(name)
		}
		if opened {
			steps++
		}
		if opened && steps == killAt {
			d.copyState(0)
			panic(crash{killAt})
		}
	}
	defer func() {
		d.step = nil
		if p := recover(); p != nil {
			if _, ok := p.(crash); !ok {
				panic(p)
			}
			d.lives++
			killed = true
		}
	}()
	a := d.openDesk()
	defer a.Close()
	opened = true
	o := d.options
	o.Yes = true
	reports, err := a.Sync(context.Background(), nil, o)
	if class := connectors.ClassOf(err); err != nil && class != connectors.Transient { // the simulator drops connections
		d.t.Errorf("a run failed: %v, class %q", err, class)
	}
	for _, r := range reports {
		if !testing.Verbose() {
			break
		}
		d.t.Logf("%s %v: %v", time.Now().Format(time.TimeOnly), r.Counts, r.Halts)
		for _, n := range r.Notes {
			d.t.Logf("    %s %s: %s", n.Ref, n.State, n.Why)
		}
	}
	return false
}

func (d *desk) openDesk() *app.App {
	d.t.Helper()
	path := filepath.Join(d.dir, "nightporter.yaml")
	d.write(path, d.config)
	cfg, err := config.Load(path, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	a, err := app.Open(context.Background(), cfg, app.Options{
		Jobs: true, State: d.stateFile(), Step: d.step, Log: slog.New(slog.DiscardHandler),
		Transport: func(string) http.RoundTripper { return d.sim.Transport() },
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return a
}

// wants enters a request, and gives its id.
func (d *desk) wants(number string) int64 {
	return d.exec(`INSERT INTO call_requests (number, text) VALUES (?, 'your table is ready')`, number)
}

// troubles are what may go wrong with a request for a call.
func (d *desk) trouble() simulator.Fault {
	f := simulator.Fault{Method: "POST", Path: "/calls", Probability: 0.4, Applied: d.rng.IntN(2) == 0}
	f.Kind = []simulator.FaultKind{
		simulator.FaultDropBefore, simulator.FaultDropAfter, simulator.FaultStatus, simulator.FaultThrottle, simulator.FaultHTML,
		simulator.FaultTruncated, simulator.FaultLateDrop, simulator.FaultLate504, simulator.FaultLatency,
	}[d.rng.IntN(9)]
	switch f.Kind { //nolint:exhaustive // the others need nothing more
	case simulator.FaultStatus:
		f.Status = []int{500, 502, 503, 408}[d.rng.IntN(4)]
		if f.Status == 503 {
			f.RetryForm, f.RetryAfter = simulator.RetrySeconds, time.Minute
		}
	case simulator.FaultThrottle: // who says 429 has placed nothing
		f.Applied, f.RetryForm, f.RetryAfter = false, simulator.RetrySeconds, 30*time.Second
	case simulator.FaultLateDrop, simulator.FaultLate504:
		f.Delay = time.Duration(d.rng.IntN(8)) * time.Minute
	case simulator.FaultLatency:
		f.Delay = 45 * time.Second // longer than anybody waits
	}
	return f
}

// lies are what may be wrong with the history.
func (d *desk) lie() simulator.Fault {
	f := simulator.Fault{Method: "GET", Path: "/calls"}
	f.Kind = []simulator.FaultKind{
		simulator.FaultListLag, simulator.FaultListLag, simulator.FaultListLag, simulator.FaultEmptyList, simulator.FaultEmptyList,
		simulator.FaultStatus, simulator.FaultMaxOffset, simulator.FaultTotalMissing, simulator.FaultDropBefore,
	}[d.rng.IntN(9)]
	if f.Kind != simulator.FaultListLag && f.Kind != simulator.FaultMaxOffset {
		f.Probability = 0.3 // now and then
	}
	f.Delay = time.Duration(1+d.rng.IntN(90)) * time.Minute
	f.Limit = 20
	return f
}

// spoil changes what goes wrong: with the calls each time, with the history for some runs.
func (d *desk) spoil() {
	for _, id := range d.troubles {
		d.sim.RemoveFault(id)
	}
	d.troubles = d.troubles[:0]
	for range d.rng.IntN(3) {
		d.troubles = append(d.troubles, d.sim.AddFault(d.trouble()))
	}
	if d.rng.IntN(3) > 0 {
		return
	}
	d.sim.RemoveFault(d.lies)
	if d.rng.IntN(3) > 0 {
		d.lies = d.sim.AddFault(d.lie())
	}
}

// tally is what came of all requests.
type tally struct{ wanted, once, held, twice, none int }

// count compares what was placed with what the desk knows of it.
func (d *desk) count() tally {
	d.t.Helper()
	placed := map[string][]simulator.Placement{}
	for _, p := range d.sim.Placed() {
		request := fmt.Sprint(p.Context["request"])
		placed[request] = append(placed[request], p)
	}
	var out tally
	if testing.Verbose() {
		d.t.Log(d.column(`SELECT concat_ws(' ', id, number, coalesce(call_id, '-'), coalesce(outcome, '-'), coalesce(called_at, '-'), coalesce(seconds, '-'), coalesce(summary, '-')) FROM call_requests`))
	}
	held := d.held()
	rows, err := d.db.Query(`SELECT id, coalesce(call_id, '') FROM call_requests ORDER BY id`)
	if err != nil {
		d.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var call string
		if err := rows.Scan(&id, &call); err != nil {
			d.t.Fatal(err)
		}
		request := strconv.FormatInt(id, 10)
		out.wanted++
		calls := placed[request]
		switch {
		case len(calls) > 1:
			out.twice++
			d.t.Errorf("request %d was called %d times", id, len(calls))
		case held[request] && call == "":
			out.held++
		case len(calls) == 1 && call == calls[0].ID:
			out.once++
		case len(calls) == 1:
			d.t.Errorf("request %d: the call %s was placed, and its row has %q", id, calls[0].ID, call)
		default:
			out.none++
			d.t.Errorf("request %d was neither placed nor held; its row has the call %q", id, call)
		}
	}
	if err := rows.Err(); err != nil {
		d.t.Fatal(err)
	}
	return out
}

// held is the requests of which nobody knows whether they were placed.
func (d *desk) held() map[string]bool {
	out := map[string]bool{}
	d.withState(func(s *state.Store) error {
		lost, err := s.Lost(context.Background(), "outbound")
		open, err2 := s.Unsettled(context.Background(), "outbound")
		for _, in := range append(lost, open...) {
			out[in.Change.Fields["custom_context.request"].Text()] = true
		}
		return errors.Join(err, err2)
	})
	return out
}

// calm lets everything come to rest: nothing goes wrong any more, and now and then
// somebody wants a call.
func (d *desk) calm() {
	d.sim.ClearFaults()
	for i := range 6 {
		d.sleep(2 * time.Hour)
		d.wants(fmt.Sprintf("+39055777%04d", i))
		d.run(0)
		d.sleep(30 * time.Minute)
		d.run(0)
	}
}

// numberFrom is the number that an environment variable holds.
func numberFrom(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil && n > 0 {
		return n
	}
	return otherwise
}

// Whatever goes wrong between, each call is placed once, or held: never twice. Where the
// history shows our mark none is held in the end, for it proves of each what became of it.
func TestOutboundCallsAreNeverPlacedTwice(t *testing.T) {
	for name, shown := range map[string]simulator.Outbound{
		"the history shows our mark": {}, "it does not": {HideContext: true}, "no answer has an id": {HideID: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newDesk(t, uint64(numberFrom("NIGHTPORTER_SEED", 1)))
				defer d.close()
				d.sim.SetOutbound(shown)
				kills := 0
				for wanted := 0; wanted < numberFrom("NIGHTPORTER_CALLS", 60); {
					for range 1 + d.rng.IntN(8) {
						n := d.rng.IntN(100_000)
						if d.rng.IntN(3) == 0 { // some are called more than once
							n = d.rng.IntN(10)
						}
						d.wants(fmt.Sprintf("055 %06d", n))
						wanted++
					}
					d.spoil()
					killAt := 0
					if d.rng.IntN(3) == 0 {
						killAt = 1 + d.rng.IntN(120)
					}
					if d.run(killAt) {
						kills++
					}
					d.sleep(time.Duration(1+d.rng.IntN(25)) * time.Minute)
				}
				d.calm()
				got := d.count()
				t.Logf("%+v, %d kills, %d calls placed", got, kills, len(d.sim.Placed()))
				if !shown.HideContext && got.held > 0 {
					t.Errorf("%d calls are held though the history shows whose each is", got.held)
				}
				if got.held*5 > got.wanted {
					t.Errorf("%d of %d calls are held", got.held, got.wanted)
				}
			})
		})
	}
}
