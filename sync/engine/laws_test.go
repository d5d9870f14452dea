package engine_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/merge"
	"nightporter/sync/plan"
	"nightporter/sync/plan/guard"
	"nightporter/sync/record"
)

// lossyRight is a world whose right side keeps less than it is given.
func lossyRight() setting {
	return setting{kinds: [2]memory.Kind{{}, {Normalise: lossy(record.Right)}}}
}

// inStep fails unless each person has equal records on both sides, but for the
// fields that wait for somebody.
func (w *world) inStep() {
	w.Helper()
	open := w.open()
	for n := range people {
		_, l := w.find(record.Left, n)
		_, r := w.find(record.Right, n)
		if !l || !r {
			if l != r {
				w.Errorf("%s is on one side only:\n%s", phoneOf(n), w.both())
			}
			continue
		}
		for _, f := range fields {
			a, b := w.value(record.Left, n, f), w.value(record.Right, n, f)
			if f == "note" && w.setting.kinds[record.Right].Normalise != nil {
				a = shorten(a)
			}
			if a != b && !open[phoneOf(n)+" "+f] {
				w.Errorf("%s of %s is %q and %q, and nobody is asked:\n%s", f, phoneOf(n), a, b, w.both())
			}
		}
	}
}

// Once users rest, three runs later nothing is left to do, and both sides hold the
// same.
func TestLaw01Convergence(t *testing.T) {
	law(t, func(t *rapid.T) {
		w := newWorld(t, lossyRight())
		defer w.close()
		for _, d := range deeds(t, 10, "put", "put", "edit", "edit", "run", "wait") {
			w.do(d)
		}
		w.rest()
		if due := w.due(); len(due) > 0 {
			t.Errorf("after three runs a plan still has %v", due)
		}
		w.inStep()
	})
}

// A run after which no user did anything is followed by no write: not the next one,
// not after a restart, not when all is compared whole.
func TestLaw02NoEcho(t *testing.T) {
	law(t, func(t *rapid.T) {
		s := lossyRight()
		s.kinds[record.Left].Versions = true
		w := newWorld(t, s)
		defer w.close()
		for _, d := range deeds(t, 8, "put", "put", "edit", "run", "wait") {
			w.do(d)
		}
		w.rest()
		before := w.mutations()
		for n := range people { // a new version with nothing new in it
			w.edit(record.Left, n, "mail", w.value(record.Left, n, "mail"))
		}
		w.run(engine.Options{Yes: true})
		w.restart()
		w.run(engine.Options{Yes: true, Full: true})
		w.tick(48 * time.Hour)
		w.run(engine.Options{Yes: true})
		if now := w.mutations(); now != before {
			t.Errorf("%d writes were answered with another", now-before)
		}
	})
}

// What a user wrote is there in the end, or a later edit replaced it, or the journal
// or a conflict shows it as what lost.
func TestLaw03NoLostUpdate(t *testing.T) {
	type written struct {
		value string
		run   int // completed runs before it
	}
	law(t, func(t *rapid.T) {
		w := newWorld(t, lossyRight())
		defer w.close()
		for n := range people {
			w.put(record.Left, n, map[string]string{"name": "x", "note": "x", "mail": "x"})
		}
		w.rest()
		last, settled := map[string][2]*written{}, map[string][2]*written{} // now, and at the last run
		was := map[string]string{}
		look := func() {
			settled = maps.Clone(last)
			for n := range people {
				for _, f := range fields {
					for _, side := range record.Sides {
						was[fmt.Sprint(side, n, f)] = w.value(side, n, f)
					}
				}
			}
		}
		look()
		for _, d := range deeds(t, 10, "edit", "edit", "run", "wait") {
			d.n = 0 // few, so that edits meet
			before := w.value(d.side, d.n, d.field)
			w.do(d)
			d.value = w.value(d.side, d.n, d.field) // as the side keeps it
			if d.what == "run" {
				look()
			}
			if d.what != "edit" || d.value == before {
				continue
			}
			key := fmt.Sprint(d.n, " ", d.field)
			sides := last[key]
			sides[d.side] = &written{d.value, w.runs}
			if d.value == was[fmt.Sprint(d.side, d.n, d.field)] { // taken back before a run could see it
				sides[d.side] = settled[key][d.side]
			}
			last[key] = sides
		}
		w.rest()
		open := w.open()
		for key, sides := range last {
			var n int
			var f string
			if _, err := fmt.Sscan(key, &n, &f); err != nil {
				t.Fatal(err)
			}
			for _, side := range record.Sides {
				mine, other := sides[side], sides[side.Other()]
				if mine == nil || w.value(side, n, f) == mine.value || open[phoneOf(n)+" "+f] {
					continue
				}
				switch {
				case other == nil:
					t.Errorf("%s: only the %s was edited, and %q became %q", key, side, mine.value, w.value(side, n, f))
				case other.run > mine.run: // a later edit, made when this one had arrived
				case mine.value == "": // a value beats a clear
				case !w.losers[f+"="+mine.value]:
					t.Errorf("%s: %q of the %s was replaced by %q, and nothing shows that it lost (%v)", key, mine.value, side, w.value(side, n, f), sorted(w.losers))
				}
			}
		}
	})
}

// No person is there twice on a side, whatever becomes of creates and however late
// lists are.
func TestLaw04NoDuplicate(t *testing.T) {
	law(t, func(t *rapid.T) {
		lag := time.Duration(rapid.IntRange(0, 4).Draw(t, "lag")) * time.Second
		kind := func(side record.Side) memory.Kind {
			k := memory.Kind{ListLag: lag, GetLag: lag, FindLag: lag}
			switch rapid.SampledFrom([]string{"stamp", "key", "nothing"}).Draw(t, "class of "+side.String()) {
			case "stamp":
				k.Stamp.Path, k.Stamp.Find = "ours", true
			case "key":
				k.Unique = [][]string{{spell(side, "phone")}}
				k.FindBy = k.Unique
			}
			return k
		}
		w := newWorld(t, setting{kinds: [2]memory.Kind{kind(record.Left), kind(record.Right)}})
		defer w.close()
		for _, d := range deeds(t, 10, "put", "put", "fault", "run", "wait") {
			if d.what == "put" { // nobody can tell what two users enter in the same second
				d.side = record.Side(d.n % 2)
			}
			if d.what == "fault" {
				w.sys[d.side].Inject(memory.Fault{
					Call: memory.CallApply, Class: errClass[d.n > 0], Applied: d.n == 1,
					Late: map[bool]time.Duration{true: 3 * time.Second}[d.n == 1 && d.field == "note"],
				})
				continue
			}
			w.do(d)
		}
		for _, s := range w.sys {
			s.Heal()
		}
		w.rest()
		w.rest()
		for _, side := range record.Sides {
			seen := map[string]bool{}
			for _, line := range w.picture(side) {
				phone, _, _ := strings.Cut(line, " ")
				if seen[phone] {
					t.Errorf("%s is on the %s twice:\n%s", phone, side, w.both())
				}
				seen[phone] = true
			}
		}
	})
}

// Nothing is deleted, and nothing is cleared that no user cleared, not even for a
// moment: not for an absence, an error, an empty list, or a field that a list, a read
// by id or an answer hides.
func TestLaw05NoUnjustifiedClear(t *testing.T) {
	law(t, func(t *rapid.T) {
		w := newWorld(t, setting{})
		defer w.close()
		for n := range people {
			w.put(record.Left, n, map[string]string{"name": "x", "note": "x", "mail": "x"})
		}
		w.rest()
		gone := map[string]bool{}
		for _, side := range record.Sides {
			w.sys[side].Hook(memory.Hooks{Step: func(step string) {
				if strings.HasPrefix(step, "applied ") {
					w.nothingCleared(side, gone)
				}
			}})
		}
		run := func() {
			if _, err := w.try(engine.Options{Yes: true}); err != nil && !strings.Contains(err.Error(), "as it was told to be") {
				t.Fatal(err)
			}
		}
		for _, d := range deeds(t, 16, "edit", "edit", "remove", "empty", "hide", "hide", "short", "error", "run", "run", "wait") {
			switch d.what {
			case "edit":
				if d.value == "" {
					d.value = "y"
				}
				w.do(d)
			case "remove":
				gone[fmt.Sprint(d.side, d.n)] = true
				w.do(d)
			case "empty":
				w.sys[d.side].Inject(memory.Fault{Call: memory.CallFetch, Empty: true})
			case "hide":
				call := []memory.Call{memory.CallFetch, memory.CallGet, memory.CallApply}[len(d.value)%3]
				w.sys[d.side].Inject(memory.Fault{Call: call, Times: 1 + d.n, LeaveOut: []string{spell(d.side, d.field)}})
				run()
			case "short":
				w.sys[d.side].Inject(memory.Fault{Call: memory.CallFetch, Drop: 1})
			case "error":
				w.sys[d.side].Inject(memory.Fault{Call: memory.CallFetch, Class: "transient"})
			case "run":
				run()
			default:
				w.do(d)
			}
		}
		for _, s := range w.sys {
			s.Heal()
		}
		w.rest()
		for _, side := range record.Sides {
			w.nothingCleared(side, gone)
		}
	})
}

// nothingCleared fails unless a side has just the persons that nobody removed, each
// with all of its values.
func (w *world) nothingCleared(side record.Side, gone map[string]bool) {
	w.Helper()
	for n := range people {
		_, ok := w.find(side, n)
		if !ok && !gone[fmt.Sprint(side, n)] {
			w.Errorf("%s was deleted on the %s", phoneOf(n), side)
		} else if ok && gone[fmt.Sprint(side, n)] {
			w.Errorf("%s came back on the %s", phoneOf(n), side)
		}
		for _, f := range fields {
			if ok && w.value(side, n, f) == "" {
				w.Errorf("%s of %s was cleared on the %s", f, phoneOf(n), side)
			}
		}
	}
}

// A run that is run again changes nothing: no record, no link, no base, no intent,
// no conflict.
func TestLaw06Idempotence(t *testing.T) {
	dir := t.TempDir()
	law(t, func(t *rapid.T) {
		w := newWorld(t, lossyRight())
		defer w.close()
		for _, d := range deeds(t, 8, "put", "put", "edit", "edit", "run") {
			w.do(d)
		}
		w.rest()
		kept, both := w.kept(dir), w.both()
		w.run(engine.Options{Yes: true})
		if diff := cmp.Diff(kept, w.kept(dir)); diff != "" {
			t.Errorf("what is known changed:\n%s", diff)
		}
		if diff := cmp.Diff(both, w.both()); diff != "" {
			t.Errorf("the systems changed:\n%s", diff)
		}
	})
}

// Killed at any step, the following runs come to where an undisturbed one comes,
// with as many changes made.
func TestLaw07CrashEquivalence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stage := func() *world {
			w := newWorld(t, setting{kinds: [2]memory.Kind{
				{Unique: [][]string{{"phone"}}, FindBy: [][]string{{"phone"}}},
				{ListLag: 4 * time.Second},
			}})
			w.put(record.Left, 0, map[string]string{"name": "x", "note": "x", "mail": "x"})
			w.rest()
			w.edit(record.Left, 0, "name", "left")
			w.edit(record.Right, 0, "note", "right")
			w.put(record.Left, 1, map[string]string{"name": "l"})
			w.put(record.Right, 2, map[string]string{"name": "r"})
			return w
		}
		applied := func(w *world) int {
			return w.sys[0].Counts().Applied + w.sys[1].Counts().Applied
		}
		w := stage()
		before := applied(w)
		steps := w.killed(-1, engine.Options{Yes: true})
		w.rest()
		want, changes := w.both(), applied(w)-before
		w.close()
		if steps < 20 || changes != 4 {
			t.Fatalf("got %d steps and %d changes, want a run that does something", steps, changes)
		}
		for k := 1; k <= steps; k++ {
			w := stage()
			before := applied(w)
			w.killed(k, engine.Options{Yes: true})
			w.run(engine.Options{Yes: true}) // while the list still lags
			w.rest()
			w.rest()
			if diff := cmp.Diff(want, w.both()); diff != "" {
				t.Errorf("killed at step %d of %d:\n%s", k, steps, diff)
			}
			if got := applied(w) - before; got != changes {
				t.Errorf("killed at step %d of %d: %d changes were made, want %d", k, steps, got, changes)
			}
			w.close()
		}
	})
}

// The order in which records became known, and actions were planned, is of no
// account.
func TestLaw08OrderIndependence(t *testing.T) {
	law(t, func(t *rapid.T) {
		type rec struct {
			side record.Side
			n    int
			name string
		}
		var recs []rec
		for _, d := range deeds(t, 8, "put") {
			recs = append(recs, rec{d.side, d.n, d.value})
		}
		recs = slices.CompactFunc(slices.SortedFunc(slices.Values(recs), func(a, b rec) int {
			return strings.Compare(fmt.Sprint(a.side, a.n, a.name), fmt.Sprint(b.side, b.n, b.name))
		}), func(a, b rec) bool { return a.side == b.side && a.n == b.n })
		picture := func(recs []rec) string {
			w := newWorld(t, setting{})
			defer w.close()
			for _, r := range recs {
				w.put(r.side, r.n, map[string]string{"name": r.name, "mail": r.name})
			}
			w.rest()
			return w.both()
		}
		shuffled := rapid.Permutation(recs).Draw(t, "shuffled")
		if diff := cmp.Diff(picture(recs), picture(shuffled)); diff != "" {
			t.Errorf("in another order:\n%s", diff)
		}
	})
	var actions []plan.Action
	for i := range 1 << 6 { // each pair of them differs in one thing alone
		bit := func(n int) int { return i >> n & 1 }
		actions = append(actions, plan.Action{
			Link: record.LinkID(bit(0)), From: int64(bit(1)), Side: record.Side(bit(2)), Step: bit(3), Priority: bit(4),
			Day: []string{"", "2026-11-21"}[bit(5)],
		})
	}
	want := slices.Clone(actions)
	plan.Order(want)
	rng := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		rng.Shuffle(len(actions), func(i, j int) { actions[i], actions[j] = actions[j], actions[i] })
		got := slices.Clone(actions)
		plan.Order(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("the order depends on the order:\n%s", diff)
		}
	}
}

// With sides and policies swapped, all that happens is swapped.
func TestLaw09SideSymmetry(t *testing.T) {
	law(t, func(t *rapid.T) {
		history := deeds(t, 10, "put", "put", "edit", "edit", "run", "wait")
		swapped := map[string]merge.Policy{"name": merge.RightWins, "note": merge.LeftWins, "mail": merge.Person}
		outcome := func(policies map[string]merge.Policy, swap bool) [3]string {
			w := newWorld(t, setting{policies: policies})
			defer w.close()
			for _, d := range history {
				if swap {
					d.side = d.side.Other()
				}
				w.do(d)
			}
			w.rest()
			sides := [2]record.Side{record.Left, record.Right}
			if swap {
				sides = [2]record.Side{record.Right, record.Left}
			}
			return [3]string{fmt.Sprint(w.picture(sides[0])), fmt.Sprint(w.picture(sides[1])), fmt.Sprint(len(w.open()))}
		}
		if diff := cmp.Diff(outcome(plainPolicies, false), outcome(swapped, true)); diff != "" {
			t.Errorf("with sides swapped (-plain +swapped):\n%s", diff)
		}
	})
}

// A record that can't be read or written changes nothing for the others.
func TestLaw10Isolation(t *testing.T) {
	poisons := map[string]map[string]string{
		"too large":      {"name": "x", "note": strings.Repeat("long", 600)},
		"without a name": {"note": "x"},
	}
	law(t, func(t *rapid.T) {
		history := deeds(t, 8, "put", "put", "edit", "edit", "run")
		poison := rapid.SampledFrom([]string{"too large", "without a name"}).Draw(t, "poison")
		at := rapid.IntRange(0, len(history)).Draw(t, "at")
		outcome := func(poisoned bool) []string {
			w := newWorld(t, setting{kinds: [2]memory.Kind{{}, {Required: []string{spell(record.Right, "name")}}}})
			defer w.close()
			for i, d := range history {
				if poisoned && i == at {
					w.put(record.Left, 9, poisons[poison])
				}
				w.do(d)
			}
			if poisoned && at == len(history) {
				w.put(record.Left, 9, poisons[poison])
			}
			w.rest()
			if _, ok := w.find(record.Right, 9); ok {
				t.Errorf("a record %s was written", poison)
			}
			lines := strings.Split(w.both(), "\n")
			return slices.DeleteFunc(lines, func(s string) bool { return s == "" || strings.HasPrefix(s, phoneOf(9)) })
		}
		if diff := cmp.Diff(outcome(false), outcome(true)); diff != "" {
			t.Errorf("a record %s changed others (-without +with):\n%s", poison, diff)
		}
	})
}

// A cursor never passes a row that was not stored: killed at any step, incremental
// runs alone bring everything over, and a row that could not be read once it can.
func TestLaw11CursorMonotonicity(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stage := func() *world {
			k := memory.Kind{Since: true, Times: true, PageSize: 1}
			w := newWorld(t, setting{kinds: [2]memory.Kind{k, {Since: true, Times: true, PageSize: 2}}})
			for n := range people + 1 {
				w.put(record.Left, n, map[string]string{"name": "x", "note": "x", "mail": "x"})
			}
			w.rest()
			w.edit(record.Left, 0, "name", "edited")
			w.edit(record.Left, 1, "note", strings.Repeat("long", 600))
			w.edit(record.Left, 3, "name", "edited") // on a page of its own, and touched by nobody else
			w.edit(record.Right, 2, "mail", "edited")
			return w
		}
		finish := func(w *world) string {
			w.rest()
			w.edit(record.Left, 1, "note", "short")
			w.rest()
			return w.both()
		}
		w := stage()
		steps := w.killed(-1, engine.Options{Yes: true})
		want := finish(w)
		w.close()
		if strings.Count(want, "edited") != 6 || strings.Count(want, "short") != 2 || steps < 10 {
			t.Fatalf("got after %d steps\n%s", steps, want)
		}
		for k := 1; k <= steps; k++ {
			w := stage()
			w.killed(k, engine.Options{Yes: true})
			if diff := cmp.Diff(want, finish(w)); diff != "" {
				t.Errorf("killed at step %d of %d:\n%s", k, steps, diff)
			}
			w.close()
		}
	})
}

// Without a yes no run makes more creates, or follows a larger change, than its
// guards allow: it makes none of them and says why.
func TestLaw12GuardSoundness(t *testing.T) {
	law(t, func(t *rapid.T) {
		budget := rapid.IntRange(1, 4).Draw(t, "budget")
		news := rapid.IntRange(0, 8).Draw(t, "news")
		w := newWorld(t, setting{guards: guard.Guards{Creates: guard.Limit{Run: guard.Amount{Count: budget}}}})
		defer w.close()
		for n := range news {
			w.put(record.Left, n, map[string]string{"name": "x"})
		}
		before := w.mutations()
		rep, err := w.try(engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		held := len(rep.Staged) == 1 && rep.Staged[0].Stage.Cause == "creates" && len(rep.Staged[0].Actions) == news
		if held != (news > budget) {
			t.Errorf("%d creates under a budget of %d: got %+v", news, budget, rep.Staged)
		}
		if got := w.mutations() - before; held && got != 0 || !held && got != news {
			t.Errorf("%d creates under a budget of %d: %d writes", news, budget, got)
		}
		w.rest() // with a yes
		if got := w.mutations() - before; got != news {
			t.Errorf("after a yes: %d writes, want %d", got, news)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		for _, share := range []int{10, 11} {
			w := newWorld(t, setting{guards: guard.Guards{Changed: 50}})
			for n := range 20 {
				w.sys[record.Left].Put(kinds[record.Left], record.Fields{
					"phone": record.OfText(fmt.Sprintf("+3905500001%02d", n)), "name": record.OfText("x"),
				})
			}
			w.rest()
			for _, r := range w.sys[record.Left].All(kinds[record.Left])[:share] {
				w.sys[record.Left].Edit(kinds[record.Left], r.Ref.ID, record.Fields{"name": record.OfText("y")})
			}
			before := w.mutations()
			_, err := w.try(engine.Options{})
			if halted, wrote := errors.Is(err, engine.ErrHalted), w.mutations() > before; halted != (share > 10) || wrote == halted {
				t.Errorf("%d of 20 changed: got %v, wrote %v", share, err, wrote)
			}
			w.close()
		}
	})
}

// A dry run changes no system, and no link, base, intent or conflict; what it shows
// is what the run after it does.
func TestLaw13DryRunPurity(t *testing.T) {
	dir := t.TempDir()
	law(t, func(t *rapid.T) {
		w := newWorld(t, lossyRight())
		defer w.close()
		for _, d := range deeds(t, 10, "put", "put", "edit", "edit", "remove", "run") {
			w.do(d)
		}
		w.tick(time.Minute)
		kept, both, asked := w.kept(dir), w.both(), w.mutations()
		dry := w.run(engine.Options{Dry: true, Yes: true})
		if diff := cmp.Diff(kept, w.kept(dir)); diff != "" {
			t.Errorf("a dry run changed what is known:\n%s", diff)
		}
		if w.both() != both || w.mutations() != asked {
			t.Errorf("a dry run changed a system:\n%s", cmp.Diff(both, w.both()))
		}
		done := w.run(engine.Options{Yes: true})
		if dry.Digest != done.Digest {
			t.Errorf("shown was %s with %d actions, done was %s with %d", dry.Digest, len(dry.Actions), done.Digest, len(done.Actions))
		}
	})
}

// A run ends, even when somebody edits each record each time it is looked at.
func TestLaw14Termination(t *testing.T) {
	law(t, func(t *rapid.T) {
		w := newWorld(t, setting{})
		defer w.close()
		for n := range people {
			w.put(record.Left, n, map[string]string{"name": "x", "note": "x", "mail": "x"})
		}
		w.rest()
		for _, d := range deeds(t, 6, "edit") {
			w.do(d)
		}
		edits := 0
		for _, side := range record.Sides {
			w.sys[side].Hook(memory.Hooks{Step: func(name string) {
				if !strings.HasPrefix(name, "before get") {
					return
				}
				edits++
				for n := range people {
					w.edit(side, n, "name", fmt.Sprint("restless", edits))
				}
			}})
			w.sys[side].ResetCounts()
		}
		w.run(engine.Options{Yes: true})
		for _, side := range record.Sides {
			w.sys[side].Hook(memory.Hooks{})
			// five for identity, and for each person four rounds of reading and verifying
			if c := w.sys[side].Counts(); c.Fetches > 2 || c.Gets > 5+people*4*3 || c.Mutations > people*4 {
				t.Errorf("the %s was asked for %+v", side, c)
			}
		}
		w.rest()
		if due := w.due(); len(due) > 0 {
			t.Errorf("once all is quiet a plan still has %v", due)
		}
	})
}
