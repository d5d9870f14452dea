package engine_test

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	_ "github.com/mattn/go-sqlite3"
	"pgregory.net/rapid"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/state"
	"nightporter/sync/blank"
	"nightporter/sync/engine"
	"nightporter/sync/mapping"
	"nightporter/sync/merge"
	"nightporter/sync/plan"
	"nightporter/sync/plan/guard"
	"nightporter/sync/record"
)

// fails is what a world needs of a test: *testing.T and *rapid.T have it.
type fails interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

const (
	job    = record.Binding("guests")
	settle = 10 * time.Second
)

var (
	kinds  = [2]record.Kind{"contacts", "people"}
	fields = []string{"name", "note", "mail"}
)

// spell is how each side calls a field.
func spell(side record.Side, field string) string {
	if side == record.Left {
		return field
	}
	return "their_" + field
}

// setting is what a world is like; the zero one is usable.
type setting struct {
	kinds    [2]memory.Kind
	policies map[string]merge.Policy
	guards   guard.Guards
	status   string            // the field whose cancels are a risk of their own
	renamed  map[string]string // fields of the right that are found at another path
	moved    map[string]string // the same of the left
	oneWay   map[string]merge.Direction
	settle   time.Duration
	gone     [2]engine.GoneRule           // what becomes of a side's record when the one across is gone
	broken   bool                         // the list that tells of an older copy lacks a record
	sealed   string                       // the file of the key of digests; "": values are kept plain
	clock    func() time.Time             // of the right system; nil: time.Now
	words    map[string][]mapping.EnumRow // fields that hold words
	machine  *merge.Machine               // of the fields that go by rules
	match    [][]string                   // nil: by the phone alone
	cards    bool                         // what may be a payment card is blanked
	mapped   func(*mapping.Spec)          // what else the mapping says; nil: nothing
	reads    [2]reading                   // how the connector of each side makes values of what stands there
}

// storesOf is the stores of a state, or of what stands for one.
func storesOf(t interface {
	Helper()
	Fatal(args ...any)
}, state any,
) engine.Stores {
	t.Helper()
	s, err := engine.StoresOf(state)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// world is two systems in memory, a store in memory, and the real engine between
// them. Time is the bubble's own.
type world struct {
	fails
	setting
	sys   [2]*memory.System
	store *state.Store
	eng   *engine.Engine
	ids   int
	step  func(name string) // told of each of the store's transactions

	losers map[string]bool // values that lost a collision, as the journal has them
	runs   int
	image  []byte // of the state, between two bubbles
}

var plainPolicies = map[string]merge.Policy{"name": merge.LeftWins, "note": merge.RightWins, "mail": merge.Person}

func newWorld(t fails, s setting) *world {
	t.Helper()
	if s.policies == nil {
		s.policies = plainPolicies
	}
	if s.settle == 0 {
		s.settle = settle
	}
	w := &world{fails: t, setting: s, losers: map[string]bool{}}
	for _, side := range record.Sides {
		k := s.kinds[side]
		limits := k.Fields
		k.Fields = map[string]connectors.Field{spell(side, "phone"): {}}
		for _, f := range fields {
			k.Fields[spell(side, f)] = limits[spell(side, f)]
		}
		k.Fields["their_remark"] = connectors.Field{} // see setting.renamed and setting.moved
		maps.Copy(k.Fields, limits)
		w.sys[side] = memory.New(memory.Options{Kinds: map[record.Kind]memory.Kind{kinds[side]: k}, Now: [2]func() time.Time{record.Right: s.clock}[side]})
	}
	var err error
	rng := rand.New(rand.NewPCG(1, 2))
	w.store, err = state.Open(context.Background(), state.Memory, state.Options{SkipCheck: true, Rand: rng.IntN, Step: func(name string) {
		if w.step != nil {
			w.step(name)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.store.Register(context.Background(), job, [2]record.System{"one", "two"}, kinds, nil); err != nil {
		t.Fatal(err)
	}
	if s.sealed != "" {
		if err := w.store.KeepDigests(context.Background(), s.sealed, []record.Binding{job}); err != nil {
			t.Fatal(err)
		}
	}
	w.restart()
	return w
}

func (w *world) close() {
	if err := w.store.Close(); err != nil {
		w.Errorf("close: %v", err)
	}
}

// restart is a new process on the same store.
func (w *world) restart() {
	spec := mapping.Spec{Systems: [2]string{"one", "two"}, Match: w.match, BlankCards: w.cards}
	if spec.Match == nil {
		spec.Match = [][]string{{"phone"}}
	}
	var rules []merge.Rule
	for _, f := range append([]string{"phone"}, fields...) {
		fs := mapping.FieldSpec{Name: f, Sides: [2]mapping.SideSpec{{Path: spell(record.Left, f)}, {Path: spell(record.Right, f)}}}
		if f == "phone" {
			fs.As, fs.Region = mapping.Phone, []string{"IT"}
		}
		spec.Fields = append(spec.Fields, fs)
		if rows := w.words[f]; rows != nil {
			spec.Fields[len(spec.Fields)-1].As, spec.Fields[len(spec.Fields)-1].Table = mapping.Enum, rows
		}
		policy := w.policies[f]
		if policy == "" {
			policy = merge.Person
		}
		for side, paths := range [2]map[string]string{w.moved, w.renamed} {
			if p := paths[f]; p != "" {
				spec.Fields[len(spec.Fields)-1].Sides[side].Path = p
			}
		}
		rules = append(rules, merge.Rule{Field: f, Policy: policy, To: w.oneWay[f], Machine: w.machine})
	}
	for side, how := range w.reads {
		spec.Native[side] = connectors.Kind{Reads: how.prints}.Reading
	}
	if w.mapped != nil {
		w.mapped(&spec)
	}
	m, err := mapping.Compile(spec)
	if err != nil {
		w.Fatal(err)
	}
	j := &engine.Job{
		Binding: job, Mapping: m, Match: spec.Match, Zone: time.UTC, Guards: w.guards, MaxField: 2000, FullEvery: 24 * time.Hour, Unshown: 20,
		Seal:  w.store.SealKey(job),
		Rules: plan.Rules{Mapping: m, Merge: rules, Skew: -1, Status: w.status},
	}
	for _, side := range record.Sides {
		conn := w.reads[side].of(w.sys[side].Connector())
		d, err := conn.Describe(context.Background())
		if err != nil {
			w.Fatal(err)
		}
		can := d.Kinds[kinds[side]]
		name := record.System([]string{"one", "two"}[side])
		if w.cards {
			conn = blank.Cards(conn, m, side)
		}
		j.Sides[side] = engine.Side{System: name, Kind: kinds[side], Conn: conn, Can: can, Create: engine.Always, Gone: w.gone[side], Settle: w.settle}
		j.Rules.Kinds[side] = plan.Kind{System: name, Kind: kinds[side], Required: can.Required, NoUpdate: !can.Update, Status: can.Status}
	}
	w.eng = &engine.Engine{House: engine.House{
		Stores: storesOf(w, w.store), Jobs: map[record.Binding]*engine.Job{job: j}, Install: "test",
		NewID: func() string { w.ids++; return fmt.Sprintf("%026d", w.ids) },
		Log:   slog.New(slog.DiscardHandler),
	}}
}

// tick lets time pass.
func (w *world) tick(d time.Duration) { <-time.After(d) }

// try runs the job once.
func (w *world) try(o engine.Options) (engine.Report, error) {
	w.tick(time.Second)
	rep, err := w.eng.Run(context.Background(), job, o)
	w.tick(time.Second)
	if !o.Dry {
		w.runs++
		for _, a := range rep.Actions {
			for _, f := range a.Fields {
				if f.Loser.Observed() {
					w.losers[f.Field+"="+f.Loser.Text()] = true
				}
			}
		}
	}
	return rep, err
}

func (w *world) run(o engine.Options) engine.Report {
	w.Helper()
	rep, err := w.try(o)
	for range record.Sides {
		if errors.Is(err, engine.ErrHalted) && w.removedAll(rep) { // who removed them all says so
			rep, err = w.try(o)
		}
	}
	if err != nil {
		w.Fatalf("run: %v %+v", err, rep.Halts)
	}
	return rep
}

// removedAll answers the question whether all linked records of a side were removed. It
// is false if a run halted for anything else.
func (w *world) removedAll(rep engine.Report) bool {
	w.Helper()
	for _, h := range rep.Halts {
		if h.Cause != "identity" {
			return false
		}
	}
	if _, err := w.store.AnswerHalts(context.Background(), job, record.Accepted, "test"); err != nil {
		w.Fatal(err)
	}
	return true
}

// rest lets all that lags or settles pass, and then runs as often as a system that
// converges may need.
func (w *world) rest() {
	w.Helper()
	for range 3 {
		w.tick(time.Minute)
		w.run(engine.Options{Yes: true})
	}
}

// due is what a run would do now.
func (w *world) due() []string {
	w.Helper()
	var out []string
	for _, a := range w.run(engine.Options{Dry: true, Yes: true}).Actions {
		out = append(out, describe(a))
	}
	return out
}

func describe(a plan.Action) string {
	return fmt.Sprintf("%s %s %s %v instead of %v", a.Side, a.Change.Op, a.Change.Ref.ID, a.Change.Fields, a.Change.Before)
}

func phoneOf(n int) string { return fmt.Sprintf("+39055000000%d", n) }

// put makes a record of the n-th person on a side, unless it is there.
func (w *world) put(side record.Side, n int, values map[string]string) {
	if _, ok := w.find(side, n); ok {
		return
	}
	f := record.Fields{spell(side, "phone"): record.OfText(phoneOf(n))}
	for name, v := range values {
		f[spell(side, name)] = record.OfText(v)
	}
	w.sys[side].Put(kinds[side], f)
}

// find is the record of the n-th person on a side.
func (w *world) find(side record.Side, n int) (record.Record, bool) {
	for _, r := range w.sys[side].All(kinds[side]) {
		if r.Fields[spell(side, "phone")].Text() == phoneOf(n) {
			return r, true
		}
	}
	return record.Record{}, false
}

func (w *world) edit(side record.Side, n int, field, value string) {
	r, ok := w.find(side, n)
	if !ok {
		return
	}
	v := record.OfText(value)
	if value == "" {
		v = record.Nothing()
	}
	w.sys[side].Edit(kinds[side], r.Ref.ID, record.Fields{spell(side, field): v})
}

func (w *world) remove(side record.Side, n int) {
	if r, ok := w.find(side, n); ok {
		w.sys[side].Remove(kinds[side], r.Ref.ID)
	}
}

// value is what a side holds, "" for nothing and for no record.
func (w *world) value(side record.Side, n int, field string) string {
	r, _ := w.find(side, n)
	return r.Fields[spell(side, field)].Text()
}

// picture is what a side holds, without the ids that a system deals out.
func (w *world) picture(side record.Side) []string {
	var out []string
	for _, r := range w.sys[side].All(kinds[side]) {
		line := r.Fields[spell(side, "phone")].Text()
		for _, f := range fields {
			line += " " + f + "=" + r.Fields[spell(side, f)].Text()
		}
		out = append(out, line)
	}
	slices.Sort(out)
	return out
}

func (w *world) both() string {
	return strings.Join(w.picture(record.Left), "\n") + "\n--\n" + strings.Join(w.picture(record.Right), "\n")
}

// mutations is how often a system was asked to change something.
func (w *world) mutations() int {
	return w.sys[record.Left].Counts().Mutations + w.sys[record.Right].Counts().Mutations
}

// open is the fields that wait for a person, as "phone field".
func (w *world) open() map[string]bool {
	w.Helper()
	cs, err := w.store.Questions(context.Background(), job, true)
	if err != nil {
		w.Fatal(err)
	}
	out := map[string]bool{}
	for _, c := range cs {
		if c.Link == 0 {
			continue
		}
		p, _, err := w.store.Pair(context.Background(), c.Link)
		if err != nil {
			w.Fatal(err)
		}
		e := p.Sides[record.Left]
		out[e.Last()["phone"].Text()+" "+c.Field] = true
	}
	return out
}

// kept is what a dry run must leave as it is: links, bases, intents, conflicts.
func (w *world) kept(dir string) string {
	w.Helper()
	w.ids++
	file := filepath.Join(dir, fmt.Sprintf("copy-%d-%d.db", w.ids, time.Now().UnixNano()))
	if err := w.store.CopyTo(context.Background(), file); err != nil {
		w.Fatal(err)
	}
	db, err := sql.Open("sqlite3", "file:"+file+"?mode=ro")
	if err != nil {
		w.Fatal(err)
	}
	defer db.Close()
	var out strings.Builder
	for _, q := range []string{
		`SELECT id || entity || state AS line FROM link ORDER BY id`,
		`SELECT num || ' ' || link || base || base_version || coalesce(pre, '') ||
			(SELECT coalesce(group_concat(value), '') FROM json_each(provisional) WHERE value NOT LIKE '@%') AS line FROM entry WHERE link IS NOT NULL ORDER BY num`,
		`SELECT id || state || change || tries || coalesce(receipt, '') AS line FROM intent ORDER BY id`,
		`SELECT id || link || ' ' || entry || field || left_value || right_value || coalesce(closed, 'open') AS line FROM question WHERE link <> 0 OR entry <> 0 ORDER BY id`,
	} {
		var all sql.NullString
		if err := db.QueryRowContext(context.Background(), `SELECT group_concat(line, char(10)) FROM (`+q+`)`).Scan(&all); err != nil {
			w.Fatal(err)
		}
		out.WriteString(all.String + "\n")
	}
	return out.String()
}

// people is how many persons a history is about.
const people = 3

// deed is one thing that a user does, or time.
type deed struct {
	what  string // "put", "edit", "remove", "run", "wait"
	side  record.Side
	n     int
	field string
	value string
}

// deeds draws a history.
func deeds(t *rapid.T, most int, kinds ...string) []deed {
	values := []string{"a", "b", "Cd", "LONGER", ""}
	one := rapid.Custom(func(t *rapid.T) deed {
		return deed{
			what:  rapid.SampledFrom(kinds).Draw(t, "what"),
			side:  rapid.SampledFrom(record.Sides[:]).Draw(t, "side"),
			n:     rapid.IntRange(0, people-1).Draw(t, "n"),
			field: rapid.SampledFrom(fields).Draw(t, "field"),
			value: rapid.SampledFrom(values).Draw(t, "value"),
		}
	})
	return rapid.SliceOfN(one, 1, most).Draw(t, "deeds")
}

func (w *world) do(d deed) {
	w.Helper()
	switch d.what {
	case "put":
		w.put(d.side, d.n, map[string]string{"name": "n" + d.value, "note": d.value})
	case "edit":
		w.edit(d.side, d.n, d.field, d.value)
	case "remove":
		w.remove(d.side, d.n)
	case "run":
		w.run(engine.Options{Yes: true})
	case "wait":
		w.tick(settle / 2)
	}
}

// lawChecks is how many worlds a law is tried on, unless -rapid.checks says more.
const lawChecks = 20

// law checks a property of worlds in one bubble.
func law(t *testing.T, f func(t *rapid.T)) {
	if checks := flag.Lookup("rapid.checks"); checks != nil && checks.Value.String() == checks.DefValue {
		if err := flag.Set(checks.Name, strconv.Itoa(lawChecks)); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := flag.Set(checks.Name, checks.DefValue); err != nil {
				t.Error(err)
			}
		}()
	}
	synctest.Test(t, func(t *testing.T) { rapid.Check(timeless{t}, f) })
}

// timeless hides a test's deadline, which means nothing in a bubble.
type timeless struct{ rapid.TB }

// lossy is a system that keeps small letters, and four of them.
func lossy(side record.Side) map[string]func(record.Value) record.Value {
	return map[string]func(record.Value) record.Value{spell(side, "note"): func(v record.Value) record.Value {
		if v.Type() != record.Text {
			return v
		}
		return record.OfText(shorten(v.Text()))
	}}
}

func shorten(s string) string {
	s = strings.ToLower(s)
	return s[:min(4, len(s))]
}

// killed runs once and dies at step k of those that the engine, the store and both
// systems take. It gives how many there were.
func (w *world) killed(k int, o engine.Options) (steps int) {
	type death struct{}
	step := func(string) {
		if steps++; steps == k {
			panic(death{})
		}
	}
	for _, s := range w.sys {
		s.Hook(memory.Hooks{Step: step})
	}
	w.eng.Step, w.step = step, step
	defer func() {
		w.step = nil
		for _, s := range w.sys {
			s.Hook(memory.Hooks{})
		}
		w.restart()
		if p := recover(); p != nil {
			if _, ok := p.(death); !ok {
				panic(p)
			}
		}
	}()
	w.run(o)
	return steps
}

func sorted(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }

var errClass = map[bool]connectors.ErrorClass{true: connectors.Ambiguous, false: connectors.Throttled}
