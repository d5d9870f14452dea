package engine_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// Reads by id that lag show older records than the list did, of some that were removed since.
// That is no sign of a system that was put back, and no edit that takes anything back.
func TestOutside38AReadByIDThatLagsIsNoSignOfARestore(t *testing.T) {
	for name, k := range map[string]memory.Kind{"lists": {Times: true}, "lists of changes": {Times: true, Since: true}} {
		for _, removed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, removed: %t", name, removed), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					k.GetLag = 6 * time.Second
					w := newWorld(t, setting{kinds: [2]memory.Kind{record.Right: k}})
					defer w.close()
					for n := range 8 {
						w.put(record.Left, n, map[string]string{"name": "a", "note": "old"})
					}
					w.rest()
					w.tick(time.Hour)
					for n := range 3 {
						w.edit(record.Right, n, "note", "new")
					}
					w.run(engine.Options{Yes: true})
					if removed {
						for n := range 3 {
							w.remove(record.Right, n)
						}
					}
					w.run(engine.Options{Yes: true})
					w.rest()
					for n := range 3 {
						if got := w.value(record.Left, n, "note"); got != "new" {
							t.Errorf("the left has %q", got)
						}
					}
				})
			})
		}
	}
}
