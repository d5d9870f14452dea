package engine_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
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

// The first update of a kind is a trial, and gets no answer. Its record is removed, and another one gets its id before
// the trial is judged. The trial says nothing of the other record: it is not written, and a person is asked.
func TestOutsideATrialMeetsAnotherRecordUnderItsID(t *testing.T) {
	for _, applied := range []bool{false, true} {
		for _, wait := range []time.Duration{time.Second, time.Minute} {
			t.Run(fmt.Sprintf("applied %t, %s later", applied, wait), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := house(t, 6, setting{kinds: [2]memory.Kind{{}, {Tried: true}}, gone: both(away.GoneHold)})
					defer w.close()
					w.tick(time.Hour)
					w.set(record.Left, 0, 3, "note", "cancelled")
					w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous, Applied: applied})
					w.run(engine.Options{Yes: true})
					was := w.ref(record.Right, 0)
					zed := record.Fields{
						"their_phone": record.OfText("+390559999999"), "their_name": record.OfText("Zed"),
						"their_note": record.OfText("late"), "their_mail": record.OfText("z@example.com"),
					}
					w.sys[record.Right].Remove(was.Kind, was.ID)
					w.sys[record.Right].PutAs(was.Kind, was.ID, zed)
					w.tick(wait)
					for range 4 {
						w.run(engine.Options{Yes: true})
						w.tick(time.Minute)
					}
					now, _ := w.sys[record.Right].Get(was.Kind, was.ID)
					if !now.Fields.Agrees(zed) {
						t.Errorf("what has the id now is %v:\n%s", now.Fields, w.both())
					}
					w.asked(away.AskForeign)
				})
			})
		}
	}
}
