package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/plan/guard"
	"nightporter/sync/record"
)

// A held change was approved. Its booking was edited once more since, and removed, and that side has no reads by id. Its
// list of changes shows nothing of that. So the whole list is read: the booking may be gone, and the change waits.
func TestOutsideAnEditOfWhatMayBeGoneWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := house(t, 10, setting{
			kinds:  [2]memory.Kind{{Since: true, Times: true, NoGet: true}, {}},
			guards: guard.Guards{Updates: guard.AtMost(1)}, policies: byPersons,
		})
		defer w.close()
		w.set(record.Left, 0, 3, "name", "held")
		w.run(engine.Options{})
		id := w.ref(record.Left, 0).ID
		before := w.sys[record.Left].Snapshot()
		w.sys[record.Left].Edit(kinds[record.Left], id, record.Fields{"name": record.OfText("newer")})
		w.sys[record.Left].Remove(kinds[record.Left], id)
		w.tick(settle)
		w.approveAlone(w.staged()[0].Set)
		wantCount(t, "changed on the right", w.have(record.Right, "name", "held"), 2)
		rep := w.run(engine.Options{})
		if got := fmt.Sprint(rep.Notes); !strings.Contains(got, "whether the edit still counts is not known") {
			t.Errorf("the notes: %s", got)
		}
		wantCount(t, "changed on the right after a run", w.have(record.Right, "name", "held"), 2)

		w.sys[record.Left].Restore(before)
		w.tick(settle)
		w.run(engine.Options{Yes: true, Full: true})
		wantCount(t, "changed on the right once the list shows it again", w.have(record.Right, "name", "held"), 3)
	})
}
