package engine_test

import (
	"fmt"
	"testing"
	"testing/synctest"

	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// An undo deletes what a run made. The record that it was made from is left alone until somebody edits it: then it goes
// across again, once.
func TestOutsideAnUndoneCreateIsMadeAgainOnceItIsEdited(t *testing.T) {
	for _, k := range []memory.Kind{{Delete: true}, {Delete: true, Times: true}, {Delete: true, Versions: true}} {
		for _, rule := range []away.GonePolicy{away.GoneHold, away.GoneDelete} {
			t.Run(fmt.Sprintf("gone %s, times %t, versions %t", rule, k.Times, k.Versions), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := lenient()
					s.kinds, s.gone = [2]memory.Kind{k, k}, both(rule)
					w := inStepPeople(t, s, 4)
					defer w.close()
					w.put(record.Left, 5, map[string]string{"name": "made", "note": "a"})
					rep := w.run(engine.Options{Yes: true})
					w.rest()
					w.undo(rep.Run)
					w.wholeRuns()
					if got := w.has(5); got != "l" {
						t.Fatalf("it was undone, and is on %q", got)
					}
					w.edit(record.Left, 5, "name", "edited")
					w.wholeRuns()
					if got := w.value(record.Right, 5, "name"); got != "edited" || w.have(record.Right, "name", "edited") != 1 {
						t.Errorf("it was edited, and the right has %q:\n%s", got, w.both())
					}
					if n := w.questions(); n != 0 {
						t.Errorf("%d questions are asked", n)
					}
					w.idle(2)
				})
			})
		}
	}
}
