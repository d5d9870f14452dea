package engine_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/sync/engine"
	"nightporter/sync/merge"
	"nightporter/sync/plan"
	"nightporter/sync/plan/guard"
	"nightporter/sync/record"
)

// What is new each time is edited, however often: somebody writes a note on.
func TestOutsideNewValuesAreNoSwing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{policies: map[string]merge.Policy{"note": merge.LeftWins}, guards: guard.Guards{Updates: guard.AtMost(3)}})
		defer w.close()
		for _, side := range record.Sides {
			w.put(side, 1, map[string]string{"name": "Ada", "note": "old"})
		}
		w.rest()
		for n := range 20 {
			w.edit(record.Left, 1, "note", fmt.Sprint("call ", n))
			w.tick(time.Minute)
			w.run(engine.Options{})
			w.tick(time.Minute)
			w.run(engine.Options{})
			if got, want := w.value(record.Right, 1, "note"), fmt.Sprint("call ", n); got != want {
				t.Fatalf("note is %q, want %q: %v", got, want, w.open())
			}
		}
	})
}

// What swings waits for a person, and a comparison says so.
func TestOutsideWhatSwingsWaitsForAPerson(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{policies: map[string]merge.Policy{"name": merge.LeftWins}})
		defer w.close()
		for _, side := range record.Sides {
			w.put(side, 1, map[string]string{"name": "Ada"})
		}
		w.rest()
		for range 12 { // a second program on the right has a word of its own
			w.edit(record.Left, 1, "name", "Ada L.")
			w.tick(time.Minute)
			w.run(engine.Options{})
			w.tick(settle)
			w.run(engine.Options{})
			w.edit(record.Right, 1, "name", "ADA")
			w.edit(record.Left, 1, "name", "Ada L.")
		}
		rep := w.run(engine.Options{Dry: true, Full: true, Verify: true})
		if len(rep.Verified.Differs) != 1 || rep.Verified.Differs[0].Cause != plan.Held {
			t.Errorf("compared: %+v; want a name that is held", rep.Verified.Differs)
		}
	})
}
