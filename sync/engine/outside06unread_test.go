package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// The record of a trial can't be read by its id any more. It is named with the cause until it can, the
// run says that something waits, and what lists show of it is taken for nobody's edit.
func TestOutside06TheRecordOfATrialCantBeRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := replacing(t, memory.Kind{})
		defer w.close()
		w.edit(record.Left, 0, "note", "late arrival")
		away := true
		w.sys[record.Right].Hook(memory.Hooks{Step: func(step string) {
			if away && step == "after update people" {
				away = false
				w.sys[record.Right].Inject(memory.Fault{Call: memory.CallGet, Times: -1, Class: connectors.Transient})
			}
		}})
		for range 4 {
			rep := w.run(engine.Options{Yes: true})
			found, err := w.store.Findings(t.Context(), job)
			if err != nil || len(found) != 1 || found[0].Name != record.FindUnseen || found[0].Ref != w.trial(record.Update).Ref || !strings.Contains(found[0].Text, "can't be read by its id") {
				t.Errorf("found is %+v, %v", found, err)
			}
			if rep.Outcome != record.Waits {
				t.Errorf("the run ended as %s", rep.Outcome)
			}
			if got := w.value(record.Left, 0, "name") + " " + w.value(record.Left, 0, "mail"); got != "Ada ada@example.com" {
				t.Errorf("an effect of our own write travelled: the left has %q", got)
			}
			w.tick(time.Minute)
		}
		rep := w.run(engine.Options{Dry: true, Verify: true, Full: true, Yes: true})
		if got := rep.Verified.Causes; len(got) != 1 || got[plan.Unsettled] == 0 {
			t.Errorf("verify names %v", got)
		}
		w.sys[record.Right].Heal()
		w.rest()
		w.unharmed("at rest")
		if found, err := w.store.Findings(t.Context(), job); err != nil || len(found) != 0 {
			t.Errorf("at rest found is %s, %v", fmt.Sprint(found), err)
		}
	})
}
