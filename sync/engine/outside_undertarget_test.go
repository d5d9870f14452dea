package engine_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/plan/away"
	"nightporter/sync/plan/guard"
	"nightporter/sync/record"
)

// A change goes to a record that was removed, and whose id another record has by now. No list of the run shows that: the
// run is about one record, or carries out what was approved. So the read before the write must show it, whatever else
// guards the write. The other record stays as it is, and a person is asked.
func TestOutsideAChangeMeetsAnotherRecordUnderItsID(t *testing.T) {
	for name, k := range map[string]memory.Kind{
		"read before it is written": {Times: true}, "guarded by what it held": {Times: true, Guarded: true, FindAny: true},
	} {
		for _, approved := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, approved: %t", name, approved), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := setting{kinds: [2]memory.Kind{{}, k}, gone: both(away.GoneHold)}
					if approved {
						s.guards = guard.Guards{Cancels: guard.AtMost(1)}
					}
					w := house(t, 6, s)
					defer w.close()
					w.tick(time.Hour)
					w.set(record.Left, 0, 3, "note", "cancelled")
					if approved {
						w.run(engine.Options{})
					}
					was := w.ref(record.Right, 0)
					w.sys[record.Right].Remove(was.Kind, was.ID)
					w.sys[record.Right].PutAs(was.Kind, was.ID, record.Fields{
						"their_phone": record.OfText("+390559999999"), "their_name": record.OfText("Zed"),
						"their_note": record.OfText("confirmed"), "their_mail": record.OfText("z@example.com"),
					})
					w.tick(settle)
					if approved {
						w.approveAlone(w.staged()[0].Set)
					} else {
						w.run(engine.Options{Yes: true, Only: []record.Ref{w.ref(record.Left, 0)}, OnlySide: record.Left})
					}
					zed, _ := w.sys[record.Right].Get(was.Kind, was.ID)
					if got := zed.Fields["their_note"].Text(); got != "confirmed" {
						t.Errorf("what has the id now was made %q:\n%s", got, w.both())
					}
					w.run(engine.Options{Yes: true})
					w.asked(away.AskForeign)
				})
			})
		}
	}
}
