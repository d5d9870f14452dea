package engine_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/plan"
	"nightporter/sync/plan/away"
	"nightporter/sync/plan/guard"
	"nightporter/sync/record"
)

// bySelves are the ways in which a side can tell what it has.
var bySelves = map[string]memory.Kind{
	"asked by the phone": {Delete: true, FindBy: [][]string{{"their_phone"}}, Times: true},
	"by its lists alone": {Delete: true},
	"by stable lists":    {Delete: true, Paging: memory.Keyset},
}

// Changes are held, and somebody enters one of the records by hand before a person approves them. The run that
// carries the approval out does not create it once more.
func TestOutsideAnApprovalLooksWhatIsThere(t *testing.T) {
	for name, kind := range bySelves {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{kinds: [2]memory.Kind{{Delete: true}, kind}, guards: guard.Guards{Creates: guard.Limit{Run: guard.Amount{Count: 3}}}})
				defer w.close()
				w.put(record.Left, 9, map[string]string{"name": "name 9"})
				w.rest()
				for n := range 5 {
					w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n)})
				}
				w.tick(time.Minute)
				w.run(engine.Options{Full: true})
				w.tick(time.Minute)
				w.run(engine.Options{Full: true})
				w.tick(10 * time.Minute)
				w.put(record.Right, 2, map[string]string{"name": "name 2"})
				rep := w.approveAlone(w.onlySet(plan.RiskCreate, 5))
				if n := w.on(record.Right, 2); n != 1 {
					t.Errorf("the right has %d of it, want one:\n%s", n, w.both())
				}
				if n := rep.Counts["right.created"]; n != 4 {
					t.Errorf("%d were created, want the four others: %v", n, rep.Counts)
				}
				w.wholeRuns()
				for _, side := range record.Sides {
					if n := len(w.sys[side].All(kinds[side])); n != 6 {
						t.Errorf("the %s has %d records, want 6:\n%s", side, n, w.both())
					}
				}
			})
		})
	}
}

// A record is gone, and a person is asked. It is entered anew before the answer is carried out by a run that reads
// no lists otherwise: the person is asked once more, and nothing is made twice or lost.
func TestOutsideAnAnswerLooksWhatIsThere(t *testing.T) {
	for name, kind := range bySelves {
		for _, choice := range []away.GoneChoice{away.ChooseAnew, away.ChooseCarry} {
			t.Run(fmt.Sprintf("%s, %s", name, choice), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t, setting{kinds: [2]memory.Kind{{Delete: true}, kind}, gone: both(away.GoneHold)})
					defer w.close()
					for n := range 4 {
						w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n)})
					}
					w.rest()
					old, _ := w.find(record.Left, 2)
					w.remove(record.Right, 2)
					w.wholeRuns()
					w.answer(away.AskGone, choice)
					w.tick(10 * time.Minute)
					w.put(record.Right, 2, map[string]string{"name": "name 2"})
					w.run(engine.Options{Seen: true})
					if n := w.on(record.Right, 2); n != 1 {
						t.Errorf("the right has %d of it, want the one that was entered:\n%s", n, w.both())
					}
					if got, ok := w.find(record.Left, 2); !ok || got.Ref != old.Ref {
						t.Errorf("the record across went, though it was entered anew:\n%s", w.both())
					}
				})
			})
		}
	}
}

// A run that follows another one of the same sync goes by the lists of that one: it reads none.
func TestARunThatFollowsReadsNoList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: [2]memory.Kind{{Delete: true}, {Delete: true}}, guards: guard.Guards{Creates: guard.Limit{Run: guard.Amount{Count: 1}}}})
		defer w.close()
		w.rest()
		for n := range 2 {
			w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n)})
		}
		w.tick(time.Minute)
		w.run(engine.Options{Full: true})
		w.tick(time.Minute)
		w.run(engine.Options{Full: true})
		w.say(w.onlySet(plan.RiskCreate, 2), record.Approved)
		w.put(record.Left, 2, map[string]string{"name": "name 2"})
		third, _ := w.find(record.Left, 2)
		if _, err := w.try(engine.Options{Only: []record.Ref{third.Ref}, OnlySide: record.Left}); err != nil {
			t.Fatal(err)
		}
		rep := w.run(engine.Options{Seen: true, After: true})
		if rep.Counts["right.pages"] != 0 || rep.Counts["right.created"] != 2 {
			t.Errorf("got %v, want the two created that the lists tell of, and no list read", rep.Counts)
		}
	})
}
