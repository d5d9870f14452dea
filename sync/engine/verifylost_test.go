package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// A create had no answer, and what it may have made was edited beyond recognition: verify says so
// of both records, while it is looked for and once a person is asked.
func TestVerifyTellsWhatACreateMayHaveMade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{})
		defer w.close()
		for n := range 5 {
			w.put(record.Left, n, map[string]string{"name": "name", "mail": "mail"})
		}
		w.rest()
		w.put(record.Left, 50, map[string]string{"name": "new", "mail": "one"})
		w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous, Applied: true})
		w.run(engine.Options{Yes: true})
		w.edit(record.Right, 50, "name", "another")
		for _, wait := range []time.Duration{time.Second, 2 * settle, 2 * time.Hour} {
			w.tick(wait)
			causes := w.run(engine.Options{Dry: true, Full: true, Verify: true}).Verified.Causes
			if causes[plan.Unexplained] > 0 || causes[plan.Unsettled]+causes[plan.Held] == 0 {
				t.Errorf("after %s: %v", wait, causes)
			}
			w.run(engine.Options{Full: true, Yes: true})
		}
		w.lost()
	})
}
