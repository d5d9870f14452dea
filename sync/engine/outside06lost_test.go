package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// A first update that was never done, and a user who edits the same field, look like one that was done
// and emptied nothing. It passes no trial: the next one is the trial (seeds 9667 and 11139).
func TestOutside06AWriteThatWasNeverDone(t *testing.T) {
	for name, f := range map[string]memory.Fault{
		"its answer was lost": {Call: memory.CallApply, Op: record.Update, Class: connectors.Ambiguous},
		"it was answered":     {},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				deaf := f.Call == ""
				w := replacing(t, memory.Kind{Echoes: true, Undone: func(c record.Change) bool { return deaf && c.Op == record.Update }})
				defer w.close()
				w.edit(record.Left, 0, "note", "late arrival")
				w.sys[record.Right].Inject(f)
				_, _ = w.try(engine.Options{Yes: true})
				deaf = false
				w.edit(record.Right, 0, "note", "early arrival")
				w.tick(time.Minute)
				w.rest()
				for n := range 5 {
					w.edit(record.Left, n, "note", "by the lift")
				}
				w.rest()
				w.unharmed("at rest")
			})
		})
	}
}
