package histories

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/state"
	"nightporter/sync/engine"
	"nightporter/sync/mapping"
	"nightporter/sync/record"
)

// history is a seed and what came of it: some of its steps may have been left out.
type history struct {
	seed   uint64
	steps  []step
	odd    odd
	count  *tally  // of what is done; nil counts nothing
	files  bool    // the state is in a file, and dying is a power cut
	trace  bool    // what happens is written down
	script *script // what happens is written down as a transcript; nil: it is not
	plant  string  // the control: what is wrong with the engine, or with what it stands on
}

// world is two systems, a state, and the engine between them.
type world struct {
	history
	c        climate
	mappings [2]*mapping.Mapping
	dir      string

	sys     [2]*memory.System
	alien   [2]*memory.System // another account's
	snaps   [2]*memory.Snapshot
	late    [2]time.Duration // how far the systems' clock is ahead of ours
	swapped [2]bool
	unknown [2]bool // the key is not known
	locked  [2]int  // steps until it is known again
	strange [2]int  // steps until it is our account again
	paused  bool
	pausing record.Pause // what is paused then
	halted  int          // steps until somebody resumes
	righted [2]bool      // the owner says that updates send records whole
	agreed  [2]bool      // the first plan of a job was agreed to

	store  *state.Store
	disk   *state.RAMDisk // of a state in memory, for all lives
	file   string         // of a state in a file
	key    string         // the file of the key, of a state that keeps digests
	lives  int
	backup []byte // a copy of the state
	then   []byte // the state before the run, for what forgets
	eng    *engine.Engine
	ids    int
	ulids  int

	running int // steps of the run that is on its way, 0 for none
	killAt  int
	dead    bool
	inside  []step // what users do in the next run
	opt     engine.Options
	runs    int
	ofJob   [2]int // runs of each job
	failed  int    // of them

	*oracle
	text strings.Builder
}

// death ends a run where it stands.
type death struct{}

// mostSteps is how many steps a run takes at most.
const mostSteps = 6000

func (w *world) sleep(d time.Duration) {
	if d > 0 {
		<-time.After(d)
	}
}

func (w *world) log(format string, args ...any) {
	if w.trace {
		if w.script == nil {
			fmt.Fprintf(&w.text, "%s ", time.Now().Format("02T15:04:05.000"))
		}
		fmt.Fprintf(&w.text, format+"\n", args...)
	}
}

func idOf(n int) string { return fmt.Sprintf("%06d", n) }

// newWorld is a world in which nothing has happened. It is made outside of any bubble.
func newWorld(h history, dir string, image []byte) (*world, error) {
	w := &world{history: h, c: climateOf(h.seed).with(h.odd), dir: dir}
	w.odd = h.odd.fitting(w.c)
	w.oracle = newOracle(w)
	var err error
	if w.mappings, err = compiled(); err != nil || h.files {
		return w, err
	}
	w.disk, err = state.NewRAMDisk(context.Background(), image)
	return w, err
}

// begin makes the systems.
func (w *world) begin() {
	for _, side := range record.Sides {
		ks := map[record.Kind]memory.Kind{}
		for kind := range w.kinds() {
			ks[kinds[kind][side]] = w.kindOf(side, kind)
		}
		o := memory.Options{Kinds: ks, Now: func() time.Time { return time.Now().Add(w.late[side]) }}
		if w.is(oddAccount) > 0 {
			o.Account = accountOf(side)
		}
		w.sys[side], w.alien[side] = memory.New(o), memory.New(o)
		hooks := memory.Hooks{Step: w.step}
		w.sys[side].Hook(hooks)
		w.alien[side].Hook(hooks)
	}
}

// populate fills the account that is not ours.
func (w *world) populate(side record.Side) {
	for n := range 3 {
		w.alien[side].Put(kinds[guests][side], record.Fields{
			path(side, "phone"): record.OfText(fmt.Sprintf("+39056%07d", n)), path(side, "full_name"): record.OfText(fmt.Sprintf("alien#%d", 90+n)),
		})
	}
}

// open begins a life of the program.
func (w *world) open() error {
	ctx := context.Background()
	o := state.Options{SkipCheck: true, Step: w.durable, Rand: draws(w.seed)}
	name := state.Memory
	if w.files {
		name = w.file
	} else {
		o.Disk = w.disk
	}
	var err error
	if w.store, err = state.Open(ctx, name, o); err != nil {
		return err
	}
	for kind := range w.kinds() {
		if err := w.store.Register(ctx, jobs[kind], systems, kinds[kind], func() string { return "histories" }); err != nil {
			return err
		}
	}
	if err := w.seal(ctx); err != nil {
		return err
	}
	return w.build()
}

// close ends a life.
func (w *world) close() error {
	if w.store == nil {
		return nil
	}
	err := w.store.Close()
	w.store, w.eng = nil, nil
	if w.plant == plantForget && w.dead && !w.files {
		err = errors.Join(err, w.refill(w.then))
	}
	return err
}

// refill puts another database in memory in the place of ours, between two lives.
func (w *world) refill(image []byte) error {
	disk, err := state.NewRAMDisk(context.Background(), image)
	if err != nil {
		return err
	}
	err = w.disk.Close()
	w.disk = disk
	return err
}

func (w *world) reopen() error {
	if err := w.close(); err != nil {
		return err
	}
	w.lives++
	return w.open()
}

// step is told at each durable step and each request.
func (w *world) step(name string) {
	w.noteSaid(name)
	w.count.add(name)
	if w.running == 0 || w.dead {
		return
	}
	w.sleep(time.Millisecond)
	w.running++
	w.noteSent(name)
	w.noteOver(name)
	w.noteUndone(name)
	for i := 0; i < len(w.inside); {
		s := w.inside[i]
		if w.running <= w.within(s.at) || s.what == doApprove || s.what == doReject {
			i++
			continue
		}
		w.inside = append(w.inside[:i:i], w.inside[i+1:]...)
		w.log("  inside: %s", s)
		w.userStep(s)
	}
	if w.running > mostSteps {
		w.wrong("a run does not end: %d steps", w.running)
		panic(death{})
	}
	if w.running == w.killAt {
		w.log("  killed at step %d: %s", w.killAt, name)
		w.dead = true
		if w.files {
			w.powerCut()
		}
		panic(death{})
	}
}

// powerCut leaves the state file as a disk has it after one, under a new name: what
// was synced is there, what was to be durable soon is not, and behind it is a page that was on its way.
func (w *world) powerCut() {
	to := filepath.Join(w.dir, fmt.Sprintf("state-%d.db", w.lives+1))
	b, err := os.ReadFile(w.file)
	if err == nil {
		err = os.WriteFile(to, b, 0o600)
	}
	if wal, gone := os.ReadFile(w.file + "-wal"); gone == nil && w.plant != plantForget {
		torn := make([]byte, 4096+24)
		copy(torn[2000:], "torn by the power cut")
		if w.store != nil && w.store.DurableLog() > 0 {
			wal = wal[:w.store.DurableLog()]
		}
		err = errors.Join(err, os.WriteFile(to+"-wal", append(wal, torn...), 0o600))
	}
	if err != nil {
		w.wrong("cut the power: %v", err)
	}
	w.file = to
}

// try runs a job once, however that ends: the trace has it.
func (w *world) try(job int, o engine.Options) {
	if _, err := w.run(job, o); err != nil {
		w.failed++
	}
}

// run runs a job once, as long as it lives.
func (w *world) run(job int, o engine.Options) (rep engine.Report, err error) {
	w.opt = o
	w.countOptions(o)
	if w.plant == plantForget && !w.files {
		w.then, err = w.store.Image(context.Background())
		w.must("copy the state", err)
	}
	w.beginRun(job)
	w.running = 1
	w.runs++
	w.ofJob[job]++
	died := false
	func() {
		defer func() {
			if p := recover(); p != nil {
				if _, ok := p.(death); !ok {
					w.wrong("panic: %v\n%s", p, debug.Stack())
				}
				died = true
			}
		}()
		rep, err = w.eng.Run(context.Background(), jobs[job], o)
	}()
	w.running, w.killAt, w.inside = 0, 0, nil
	if died {
		failed := w.reopen()
		if w.dead = false; failed != nil {
			w.wrong("open the state after a death: %v", failed)
		}
		w.log("  died")
	} else {
		w.drifted(job, rep)
		if w.script != nil {
			w.writeRun(job, rep, err)
		} else if w.log("  %s %v %v", rep.Outcome, rep.Counts, err); w.trace {
			for _, a := range rep.Actions {
				w.log("    plan %s %s %s %s of %s", a.Side, a.Change.Op, a.Change.Ref, show(a.Change.Fields), a.Source)
			}
			for _, n := range rep.Notes {
				w.log("    %s %s %s %s", n.Side, n.Ref, n.State, n.Why)
			}
			for _, h := range rep.Halts {
				w.log("    halt %s %s: %s", h.Cause, h.Side, h.Why)
			}
		}
	}
	w.endRun(job, err, died)
	if w.plant == plantUnasked {
		w.unasked(job)
	}
	return rep, err
}

func show(f record.Fields) string {
	var b strings.Builder
	for _, n := range f.Names() {
		fmt.Fprintf(&b, "%s=%s ", n, f[n])
	}
	return strings.TrimSuffix(b.String(), " ")
}

// play plays a history to its end, and says what was wrong with it first, "" for
// nothing, and what happened.
func play(t *testing.T, h history, dir string, image []byte) (wrong, form, trace string) {
	t.Helper()
	w, err := newWorld(h, dir, image)
	if err != nil {
		t.Fatal(err)
	}
	if w.disk != nil {
		defer func() {
			if err := w.disk.Close(); err != nil {
				t.Error(err)
			}
		}()
	}
	if h.files {
		w.file = filepath.Join(dir, "state-0.db")
		if err := os.WriteFile(w.file, image, 0o600); err != nil {
			t.Fatal(err)
		}
		defer func() {
			for n := range w.lives + 1 {
				for _, end := range []string{"", "-wal", "-shm", ".lock"} {
					_ = os.Remove(filepath.Join(dir, fmt.Sprintf("state-%d.db%s", n, end)))
				}
			}
		}()
	}
	defer func() {
		if w.key != "" {
			_ = os.Remove(w.key)
		}
	}()
	var elapsed time.Duration // of our clock since the bubble's beginning
	rest := h.steps
	for first, more := true, true; more && w.fault == ""; first = false {
		synctest.Test(t, func(*testing.T) {
			begun := time.Now()
			w.sleep(elapsed)
			if first {
				w.begin()
			}
			if err := w.open(); err != nil {
				w.wrong("open the state: %v", err)
			}
			more = false
			for i, s := range rest {
				if w.fault != "" {
					break
				}
				if s.what == doBack {
					rest, more = rest[i+1:], true
					w.log("%s", s)
					break
				}
				w.do(s)
			}
			if !more && w.fault == "" {
				w.rest()
			}
			if err := w.close(); err != nil && w.fault == "" {
				w.wrong("close the state: %v", err)
			}
			if more { // the clock is set back; that of the systems goes on
				was := time.Since(begun)
				elapsed = max(0, was-time.Duration(3)*time.Hour, was/2)
				for _, side := range record.Sides {
					w.late[side] += was - elapsed
				}
			}
		})
	}
	return w.fault, w.form, w.text.String()
}

// conn is a connection of the engine to a system.
func (w *world) conn(side record.Side) connectors.Connector {
	base := wire{w: w, side: side, conns: [2]connectors.Connector{w.sys[side].Connector(), w.alien[side].Connector()}}
	if _, ok := base.conns[0].(connectors.Finder); ok {
		return finder{base}
	}
	return base
}
