package e2e

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/state"
	"nightporter/sync/engine"
	"nightporter/sync/mapping"
	"nightporter/sync/merge"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// duo is two systems in memory and an engine between them, put together by hand.
// It lives in a bubble of its own time.
type duo struct {
	t       *testing.T
	scene   duoScene
	systems [2]*memory.System
	path    string // of the state file, state.Memory for none
	store   *state.Store
	steps   []string
	at      int // the step at which it dies, 0 for none
	how     death
	dead    bool
	life    int
	ids     int // given out, of all lives
}

// duoScene is what the systems offer and what happens between them.
type duoScene struct {
	name   string
	class  connectors.Class // of the side that is written to
	to     record.Side      // the side that is written to
	inFile bool             // state on disk, killed with power cuts; otherwise in memory
	kind   func(memory.Kind) memory.Kind
	faults []memory.Fault  // what goes wrong in the run that is killed, or in the next
	gone   engine.GoneRule // of the side that is written to
	given  func(d *duo)    // what is there besides, brought in step before
	when   func(d *duo)
	loses  bool
}

const (
	duoKind   = record.Kind("people")
	duoSettle = time.Second
)

func text(pairs ...string) record.Fields {
	f := record.Fields{}
	for i := 0; i < len(pairs); i += 2 {
		f[pairs[i]] = record.OfText(pairs[i+1])
	}
	return f
}

func (s duoScene) offer(side record.Side) memory.Kind {
	k := memory.Kind{Total: true}
	if side == s.to {
		k = memory.ClassKind(k, s.class, []string{"phone"})
		if s.kind != nil {
			k = s.kind(k)
		}
		return k
	}
	k.Paging = memory.Keyset
	return k
}

// newDuo is a scene that is set: one record in step, and what happens then.
func newDuo(t *testing.T, s duoScene, dir string) *duo {
	t.Helper()
	d := &duo{t: t, scene: s, path: state.Memory}
	if s.inFile {
		d.path = filepath.Join(dir, "duo.db")
		if err := emptyDir(dir); err != nil {
			t.Fatal(err)
		}
	}
	for _, side := range record.Sides {
		d.systems[side] = memory.New(memory.Options{Kinds: map[record.Kind]memory.Kind{duoKind: s.offer(side)}})
	}
	d.open()
	d.systems[s.to.Other()].Put(duoKind, text("name", "Anna Rossi", "phone", "+390550000001", "mail", "anna@example.com", "status", "new"))
	if s.given != nil {
		s.given(d)
	}
	d.rest()
	if s.gone.Policy != "" {
		time.Sleep(2 * duoSettle) //nolint:forbidigo // the bubble's time: a young link is left alone
	}
	s.when(d)
	for _, f := range s.faults {
		d.systems[s.to].Inject(f)
	}
	for _, side := range record.Sides {
		d.systems[side].Hook(memory.Hooks{Step: d.step})
	}
	return d
}

func emptyDir(dir string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := os.RemoveAll(filepath.Join(dir, f.Name())); err != nil {
			return err
		}
	}
	return nil
}

func fieldsText(f record.Fields) string {
	var parts []string
	for _, p := range f.Names() {
		parts = append(parts, p+"="+f[p].Encode())
	}
	return strings.Join(parts, " ")
}

func (d *duo) open() {
	d.t.Helper()
	var err error
	if d.store, err = state.Open(d.t.Context(), d.path, state.Options{SkipCheck: true, Step: d.step, Rand: func(int) int { return 0 }}); err != nil {
		d.t.Fatal(err)
	}
	systems, kinds := [2]record.System{"left", "right"}, [2]record.Kind{duoKind, duoKind}
	if err := d.store.Register(d.t.Context(), "people", systems, kinds, func() string { return "duohouse" }); err != nil {
		d.t.Fatal(err)
	}
}

func (d *duo) close() {
	if err := d.store.Close(); err != nil {
		d.t.Fatal(err)
	}
}

// step dies when it is time.
func (d *duo) step(name string) {
	time.Sleep(time.Millisecond) //nolint:forbidigo // the bubble's time: no two steps fall into one moment
	d.steps = append(d.steps, name)
	if len(d.steps) != d.at || d.dead {
		return
	}
	d.dead = true
	if d.scene.inFile {
		h := &house{t: d.t, dir: filepath.Dir(d.path), lives: d.life}
		if d.store != nil {
			h.durable = d.store.DurableLog
		}
		h.write(h.stateFile(), string(h.read(d.path)))
		if wal := h.read(d.path + "-wal"); wal != nil {
			h.write(h.stateFile()+"-wal", string(wal))
		}
		d.path, d.life = h.copyState(d.how), d.life+1
	}
	panic(crash{d.at})
}

// engine puts an engine together.
func (d *duo) engine() *engine.Engine {
	d.t.Helper()
	side := func(s string) mapping.SideSpec { return mapping.SideSpec{Path: s, Empty: mapping.EmptyNull} }
	field := func(name, as string) mapping.FieldSpec {
		return mapping.FieldSpec{Name: name, As: as, Sides: [2]mapping.SideSpec{side(name), side(name)}}
	}
	match := [][]string{{"phone"}}
	m, err := mapping.Compile(mapping.Spec{
		Systems: [2]string{"left", "right"}, Zone: time.UTC, Match: match,
		Fields: []mapping.FieldSpec{field("name", ""), field("phone", ""), field("mail", ""), field("status", "")},
	})
	if err != nil {
		d.t.Fatal(err)
	}
	job := &engine.Job{Binding: "people", Mapping: m, Match: match, Zone: time.UTC, Rules: plan.Rules{Mapping: m, Skew: -1}}
	for f, p := range map[string]merge.Policy{"name": merge.LeftWins, "phone": merge.LeftWins, "mail": merge.RightWins, "status": merge.LeftWins} {
		job.Rules.Merge = append(job.Rules.Merge, merge.Rule{
			Field: f, Policy: p, Same: func(l, r record.Value) bool { return m.Same(f, l, r) },
		})
	}
	slices.SortFunc(job.Rules.Merge, func(a, b merge.Rule) int { return strings.Compare(a.Field, b.Field) })
	for i, name := range [2]record.System{"left", "right"} {
		conn := d.systems[i].Connector()
		desc, err := conn.Describe(d.t.Context())
		if err != nil {
			d.t.Fatal(err)
		}
		can := desc.Kinds[duoKind]
		job.Sides[i] = engine.Side{System: name, Kind: duoKind, Conn: conn, Can: can, Create: engine.Always, Settle: duoSettle}
		if record.Side(i) == d.scene.to {
			job.Sides[i].Gone = d.scene.gone
		}
		job.Rules.Kinds[i] = plan.Kind{System: name, Kind: duoKind, Status: can.Status}
	}
	stores, err := engine.StoresOf(d.store)
	if err != nil {
		d.t.Fatal(err)
	}
	return &engine.Engine{House: engine.House{
		Stores: stores, Jobs: map[record.Binding]*engine.Job{"people": job}, Install: "duohouse",
		NewID: func() string { d.ids++; return fmt.Sprintf("%06d", d.ids) },
		Log:   slog.New(slog.DiscardHandler), // the systems themselves tell of requests
	}}
}

func (d *duo) run() (engine.Report, error) {
	return d.engine().Run(context.Background(), "people", engine.Options{Yes: true})
}

// die runs once and dies at step k; what is left of the state is opened again.
func (d *duo) die(k int, how death) (steps []string) {
	d.steps, d.at, d.how = nil, k, how
	defer func() {
		steps = d.steps
		d.at = 0
		if p := recover(); p != nil {
			if _, ok := p.(crash); !ok {
				panic(p)
			}
		}
		if d.scene.inFile && d.dead {
			d.close()
			d.open()
		}
	}()
	if _, err := d.run(); err != nil {
		d.t.Fatalf("run: %v", err)
	}
	return d.steps
}

// rest runs until nothing is left to do.
func (d *duo) rest() {
	d.t.Helper()
	var rep engine.Report
	for range 12 {
		var err error
		if rep, err = d.run(); err != nil {
			d.t.Fatalf("run: %v", err)
		}
		l, r := writes([]engine.Report{rep})
		if l+r+rep.Counts["unsettled"]+rep.Counts["unproven"]+rep.Counts["postponed"] == 0 && d.systems[d.scene.to].Pending() == 0 {
			return
		}
		time.Sleep(duoSettle) //nolint:forbidigo // the bubble's time
	}
	d.t.Fatalf("twelve runs were not enough to come to rest: %v", rep.Counts)
}

// picture is what both systems hold, and how many intents are held.
func (d *duo) picture() (picture string, lost int) {
	d.t.Helper()
	var lines []string
	for _, side := range record.Sides {
		for _, r := range d.systems[side].All(duoKind) {
			lines = append(lines, fmt.Sprintf("%s %s", side, fieldsText(r.Fields)))
		}
	}
	slices.Sort(lines)
	in, err := d.store.Lost(d.t.Context(), "people")
	if err != nil {
		d.t.Fatal(err)
	}
	return strings.Join(lines, "\n"), len(in)
}

// duoScenes is every class in both directions, with state in memory and in a file.
func duoScenes() []duoScene {
	create := func(d *duo) {
		d.systems[d.scene.to.Other()].Put(duoKind, text("name", "Bruno Bianchi", "phone", "+390550000002", "mail", "bruno@example.com", "status", "new"))
	}
	edit := func(d *duo) {
		from := d.systems[d.scene.to.Other()]
		from.Edit(duoKind, from.All(duoKind)[0].Ref.ID, text("mail", "other@example.com", "name", "Anna Neri", "status", "seen"))
	}
	both := func(d *duo) { create(d); edit(d) }
	garbled := func(k memory.Kind) memory.Kind {
		k.Normalise = map[string]func(record.Value) record.Value{}
		for _, f := range []string{"name", "phone", "mail"} {
			k.Normalise[f] = func(v record.Value) record.Value {
				digest := record.DigestOf(f, []byte(v.Text())).String()
				return record.OfText(digest[:min(len(digest), 8)])
			}
		}
		return k
	}
	action := func(k memory.Kind) memory.Kind { k.Status = "status"; return k }
	lostAnswer := []memory.Fault{{Call: memory.CallApply, Class: connectors.Ambiguous, Applied: true}}
	late := []memory.Fault{{Call: memory.CallApply, Class: connectors.Ambiguous, Late: duoSettle / 2}}
	lateThenBusy := append(slices.Clone(late), memory.Fault{Call: memory.CallApply, Class: connectors.Throttled})
	var out []duoScene
	turn := 0
	add := func(s duoScene) {
		base := s.name
		for _, to := range record.Sides {
			for _, inFile := range []bool{false, true} {
				if os.Getenv("NIGHTPORTER_CRASH") != "all" && s.class != connectors.ClassE && inFile != ((turn+int(to))%2 == 0) {
					continue // each direction has one of the two, in turn
				}
				s.to, s.inFile = to, inFile
				s.name = fmt.Sprintf("%s, class %s, to the %s", base, s.class, to)
				if inFile {
					s.name += ", state in a file"
				}
				out = append(out, s)
			}
		}
		turn++
	}
	for _, c := range []connectors.Class{connectors.ClassA, connectors.ClassB, connectors.ClassC, connectors.ClassD} {
		add(duoScene{name: "create and update", class: c, when: both})
		add(duoScene{name: "answer lost", class: c, when: both, faults: lostAnswer})
		add(duoScene{name: "applied late", class: c, when: both, faults: late})
	}
	for _, c := range []connectors.Class{connectors.ClassA, connectors.ClassB, connectors.ClassC} {
		add(duoScene{name: "only the offer tells, applied late, then asked to wait", class: c, when: create, kind: garbled, faults: lateThenBusy})
	}
	add(duoScene{name: "a status of its own", class: connectors.ClassB, when: both, kind: action})
	add(duoScene{name: "nothing tells", class: connectors.ClassE, when: create, kind: garbled, loses: true})
	add(duoScene{name: "nothing tells, answer lost", class: connectors.ClassE, when: create, kind: garbled, faults: lostAnswer, loses: true})
	add(duoScene{name: "nothing tells, applied late", class: connectors.ClassE, when: create, kind: garbled, faults: late, loses: true})
	for _, to := range record.Sides {
		for _, inFile := range []bool{false, true} {
			out = append(out, duoGone(to, inFile))
		}
	}
	return out
}

// inBubble plays a scene up to a death at step k, and on to its rest.
func (s duoScene) inBubble(t *testing.T, dir string, k int, how death) (steps []string, picture string, lost int) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d := newDuo(t, s, dir)
		steps = d.die(k, how)
		d.rest()
		picture, lost = d.picture()
		d.close()
	})
	return steps, picture, lost
}

// The same on systems in memory: each class of guarantee, in both directions. With
// A to D the end is that of an undisturbed run. With E there is never a record too
// many, and what can't be known is held and listed.
func TestCrashMatrixMemory(t *testing.T) {
	for n, s := range duoScenes() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			dir := ramDir(t)
			undisturbed := s
			undisturbed.faults = nil
			_, want, lost := undisturbed.inBubble(t, dir, 0, killed)
			if lost > 0 || !strings.Contains(want, "left") || !strings.Contains(want, "right") {
				t.Fatalf("undisturbed it ends with %d held, and\n%s", lost, want)
			}
			steps, got, held := s.inBubble(t, dir, 0, killed)
			if got != want {
				t.Errorf("not killed:\n%s\nwant\n%s", got, want)
			}
			ks := chosen(t, steps, uint64(n))
			for _, k := range ks {
				_, got, lost := s.inBubble(t, dir, k, death(k%2))
				if got != want {
					t.Errorf("killed at step %d of %d, %s:\n%s\nwant\n%s", k, len(steps), steps[k-1], got, want)
				}
				held += lost
			}
			t.Logf("killed at %d of %d steps, %d held\n%s", len(ks), len(steps), held, want)
			if s.loses != (held > 0) {
				t.Errorf("%d intents were held for a person, want some: %t", held, s.loses)
			}
		})
	}
}

// The control: a state file that forgets at a power cut what it had said was
// durable makes records twice, so the matrix would show it.
func TestCrashMatrixSeesLostLog(t *testing.T) {
	for _, s := range duoScenes() {
		if !s.inFile || s.class != connectors.ClassE || len(s.faults) > 0 {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			dir := ramDir(t)
			steps, want, _ := s.inBubble(t, dir, 0, killed)
			doubled := 0
			for _, k := range chosen(t, steps, 1) {
				if _, got, _ := s.inBubble(t, dir, k, unsyncedWAL); strings.Count(got, "\n") > strings.Count(want, "\n") {
					doubled++
				}
			}
			if doubled == 0 {
				t.Error("without its log a state file lost nothing that mattered: power cuts are not played")
			}
		})
	}
}
