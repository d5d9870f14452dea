package engine_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// The answer to a create is lost, and a user edits the new record before the next run. Where the record
// shows when it was made, and not when it changed, its times tell nothing of that: a person is asked, as
// where it shows neither. With both times the edit is known.
func TestOutsideAnEditOfANewRecordThatShowsItsBirthAlone(t *testing.T) {
	for name, k := range map[string]memory.Kind{"neither": {}, "its birth": {Born: true}, "both": {Times: true}} {
		for _, versions := range []bool{false, true} {
			for _, answered := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, versions %t, answered %t", name, versions, answered), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						k.Versions, k.Stamp = versions, connectors.Stamp{Path: "ours", Find: true, Unique: true}
						w := newWorld(t, setting{kinds: [2]memory.Kind{{}, k}})
						defer w.close()
						w.put(record.Left, 0, map[string]string{"name": "known"})
						w.rest()
						w.put(record.Left, 1, map[string]string{"name": "Anna", "mail": "arrives on the 3rd"})
						if !answered {
							w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous, Applied: true})
						}
						w.run(engine.Options{Yes: true})
						w.tick(time.Minute)
						w.edit(record.Right, 1, "mail", "arrives on the 5th")
						w.rest()
						l, r := w.value(record.Left, 1, "mail"), w.value(record.Right, 1, "mail")
						if r != "arrives on the 5th" {
							t.Errorf("the edit on the right was written over: %q", r)
						}
						asked := len(w.open()) > 0
						if l != r && !asked {
							t.Errorf("the left has %q and the right %q, and nobody is asked", l, r)
						}
						if known := answered || name == "both"; asked == known {
							t.Errorf("asked %t, though it is known to be an edit: %t", asked, known)
						}
						if answered && (l != r || asked) {
							t.Errorf("the left has %q and the right %q, asked %t: it was answered", l, r, asked)
						}
					})
				})
			}
		}
	}
}
