package engine_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/plan/guard"
	"nightporter/sync/record"
)

// askedWorld is a world of linked persons that are known by phone and name, whose right
// side can be asked by both, and whose list is so long that a few new records are asked for one by one.
func askedWorld(t *testing.T) *world {
	w := newWorld(t, setting{kinds: [2]memory.Kind{{}, {FindBy: [][]string{{"their_phone", "their_name"}}, PageSize: 1}}, match: [][]string{{"phone", "name"}}})
	for n := range people {
		w.put(record.Left, n, map[string]string{"name": "x"})
	}
	w.rest()
	return w
}

// noteOf is what a report says of the n-th person's record on the left.
func (w *world) noteOf(rep engine.Report, n int) string {
	r, _ := w.find(record.Left, n)
	var all []string
	for _, note := range rep.Notes {
		if note.Ref == r.Ref {
			all = append(all, note.Why)
		}
	}
	return strings.Join(all, "; ")
}

// One record that can't be looked up is noted and skipped, and the others go on.
func TestFindThatFailsForOneRecord(t *testing.T) {
	for _, class := range []connectors.ErrorClass{connectors.Rejected, connectors.Malformed} {
		synctest.Test(t, func(t *testing.T) {
			w := askedWorld(t)
			defer w.close()
			w.put(record.Left, 4, map[string]string{"name": "four"})
			w.put(record.Left, 5, map[string]string{"name": "five"})
			w.sys[record.Right].Inject(memory.Fault{Call: memory.CallFind, Skip: 1, Class: class}) // the first is the control
			rep, err := w.try(engine.Options{Yes: true})
			if err != nil {
				t.Fatalf("%s: the run ended: %v", class, err)
			}
			if a, b := w.value(record.Right, 4, "name"), w.value(record.Right, 5, "name"); a != "" || b != "five" {
				t.Errorf("%s: got %q and %q on the right, want the second alone", class, a, b)
			}
			if got := w.noteOf(rep, 4); !strings.Contains(got, string(class)+", as it was told to be") {
				t.Errorf("%s: the record is noted with %q", class, got)
			}
			w.rest()
			if got := w.value(record.Right, 4, "name"); got != "four" {
				t.Errorf("%s: in the end the right has %q", class, got)
			}
		})
	}
}

// A control record that can't be looked up proves nothing: another is tried.
func TestFindThatFailsForTheControl(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := askedWorld(t)
		defer w.close()
		w.put(record.Left, 4, map[string]string{"name": "four"})
		w.sys[record.Right].Inject(memory.Fault{Call: memory.CallFind, Class: connectors.Rejected})
		w.sys[record.Right].ResetCounts()
		w.run(engine.Options{Yes: true})
		if got, c := w.value(record.Right, 4, "name"), w.sys[record.Right].Counts(); got != "four" || c.Finds != 3 {
			t.Errorf("the right has %q after %+v", got, c)
		}
	})
}

// A find that the system does not know is not asked again in the run: its list is
// read instead, in the same run.
func TestFindThatIsUnsupported(t *testing.T) {
	for skip, name := range []string{"at the control", "at the first record", "at the second record"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := askedWorld(t)
				defer w.close()
				w.put(record.Left, 4, map[string]string{"name": "four"})
				w.put(record.Left, 5, map[string]string{"name": "five"})
				w.sys[record.Right].Inject(memory.Fault{Call: memory.CallFind, Skip: skip, Times: -1, Class: connectors.Unsupported})
				w.sys[record.Right].ResetCounts()
				rep, err := w.try(engine.Options{Yes: true})
				if err != nil {
					t.Fatalf("the run ended: %v", err)
				}
				if len(rep.Notes) > 0 || rep.Counts["unproven"] != 0 {
					t.Errorf("all was created, and noted is %+v, %v", rep.Notes, rep.Counts)
				}
				got := []string{w.value(record.Right, 4, "name"), w.value(record.Right, 5, "name")}
				if c := w.sys[record.Right].Counts(); !slices.Equal(got, []string{"four", "five"}) || c.Finds != skip+1 {
					t.Errorf("the right has %q after %+v", got, c)
				}
			})
		})
	}
}

// What concerns the system ends the run, as before.
func TestFindThatFailsForAll(t *testing.T) {
	for _, class := range []connectors.ErrorClass{connectors.Transient, connectors.Throttled, connectors.Unauthorized} {
		for skip := range 2 {
			t.Run(fmt.Sprint(class, skip), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := askedWorld(t)
					defer w.close()
					w.put(record.Left, 4, map[string]string{"name": "four"})
					w.sys[record.Right].Inject(memory.Fault{Call: memory.CallFind, Skip: skip, Class: class})
					if _, err := w.try(engine.Options{Yes: true}); connectors.ClassOf(err) != class {
						t.Errorf("got %v, want an error that is %s", err, class)
					}
				})
			})
		}
	}
}

// A find by our reference proves that a create did not arrive once it found the
// reference of another record of ours: no further list is waited for.
func TestFindByOurReferenceIsProven(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: [2]memory.Kind{{}, {Stamp: connectors.Stamp{Path: "ours", Find: true}}}})
		defer w.close()
		w.put(record.Left, 0, map[string]string{"name": "x"})
		w.put(record.Right, 1, map[string]string{"name": "theirs"}) // linked, and without a reference of ours
		w.rest()
		w.put(record.Left, 2, map[string]string{"name": "lost"})
		w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous})
		for range 3 { // until its list was read twice and the create was sent
			if rep := w.run(engine.Options{Yes: true}); rep.Counts["unsettled"] > 0 {
				break
			}
		}
		w.tick(2 * settle)
		rep := w.run(engine.Options{Yes: true})
		if got := w.value(record.Right, 2, "name"); got != "lost" || rep.Counts["unsettled"] > 0 {
			t.Errorf("one run after it was lost the right has %q, %v", got, rep.Counts)
		}
	})
}

// A plan that is made anew in the middle of a run passes the guards like the first.
func TestSecondPlanIsGuarded(t *testing.T) {
	many := func(n int) string { return fmt.Sprintf("+3905500001%02d", n) }
	for _, yes := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, setting{
				kinds:  [2]memory.Kind{{}, {FindBy: [][]string{{"their_phone"}}, PageSize: 1}},
				guards: guard.Guards{Changed: 50},
			})
			defer w.close()
			left, right := w.sys[record.Left], w.sys[record.Right]
			for n := range 20 {
				left.Put("contacts", record.Fields{"phone": record.OfText(many(n)), "note": record.OfText("x")})
			}
			w.rest()
			w.put(record.Left, 4, map[string]string{"name": "four"})
			right.Inject(memory.Fault{Call: memory.CallFind, Skip: 1, Times: -1, Class: connectors.Unsupported})
			finds := 0
			right.Hook(memory.Hooks{Step: func(name string) {
				if name != "before find people" {
					return
				}
				if finds++; finds == 2 { // the plan is made, and carried out
					for _, r := range right.All("people")[:11] {
						right.Edit("people", r.Ref.ID, record.Fields{"their_note": record.OfText("y")})
					}
				}
			}})
			left.ResetCounts()
			rep, err := w.try(engine.Options{Yes: yes})
			halted := errors.Is(err, engine.ErrHalted) && len(rep.Halts) == 1 && rep.Halts[0].Cause == "all_changed"
			if wrote := left.Counts().Mutations; halted == yes || yes && wrote != 11 || !yes && wrote != 0 || finds != 2 {
				t.Errorf("yes %v: got %v, %+v and %d writes after %d finds", yes, err, rep.Halts, wrote, finds)
			}
		})
	}
}

// Creates of both plans of a run count for the guard of creates.
func TestSecondPlanKeepsTheBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{
			kinds:  [2]memory.Kind{{}, {FindBy: [][]string{{"their_phone"}}, PageSize: 1}},
			guards: guard.Guards{Creates: guard.AtMost(3)},
		})
		defer w.close()
		for n := range people {
			w.put(record.Left, n, map[string]string{"name": "x"})
		}
		w.rest()
		w.put(record.Left, 4, map[string]string{"name": "four"}) // right lacks it
		w.put(record.Left, 5, map[string]string{"name": "five"})
		right := w.sys[record.Right]
		right.Inject(memory.Fault{Call: memory.CallFind, Skip: 2, Times: -1, Class: connectors.Unsupported})
		finds := 0
		right.Hook(memory.Hooks{Step: func(name string) {
			if name != "before find people" {
				return
			}
			if finds++; finds == 3 {
				w.put(record.Right, 6, map[string]string{"name": "six"})
				w.put(record.Left, 7, map[string]string{"name": "seven"})
				w.put(record.Left, 8, map[string]string{"name": "eight"})
			}
		}})
		rep, err := w.try(engine.Options{})
		if err != nil || len(rep.Staged) != 1 || rep.Staged[0].Stage.Cause != "creates" {
			t.Errorf("one create and then three under a budget of three: got %v, %+v", err, rep.Staged)
		}
		if w.value(record.Right, 4, "name") != "four" || w.value(record.Right, 5, "name") != "" {
			t.Errorf("the first plan was to be stopped at its second create:\n%s", w.both())
		}
	})
}
