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

// A create gets no answer, and its side lists what changed alone. That never tells that the create was not
// made: the side is read whole for it once its system has settled, and not at the next day's whole list.
// However many such creates there are, it is read as often as it takes for one.
func TestOutsideALostCreateWhereListsShowWhatChanged(t *testing.T) {
	for _, applied := range []bool{true, false} {
		for _, stable := range []bool{true, false} {
			for _, lost := range []int{1, 3} {
				t.Run(fmt.Sprintf("applied %t, stable %t, lost %d", applied, stable, lost), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						k := memory.Kind{Since: true, Times: true, PageSize: 100}
						if stable {
							k.Paging, k.Order = memory.Keyset, memory.ID
						}
						w := newWorld(t, setting{kinds: [2]memory.Kind{{}, k}})
						defer w.close()
						for n := range 4 {
							w.put(record.Left, n, map[string]string{"name": "known"})
						}
						for range 3 {
							w.rest()
							w.tick(time.Hour)
						}
						for n := range lost {
							w.put(record.Left, 4+n, map[string]string{"name": "Anna"})
						}
						w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous, Applied: applied, Times: lost})
						w.run(engine.Options{Yes: true})
						w.sys[record.Right].ResetCounts()
						for range 3 {
							w.tick(5 * time.Minute)
							w.run(engine.Options{Yes: true})
						}
						if n := len(w.sys[record.Right].All(kinds[record.Right])); n != 4+lost {
							t.Errorf("the right has %d records, want %d:\n%s", n, 4+lost, w.both())
						}
						most := 3 // lists of what changed
						if !applied && stable {
							most += 1
						} else if !applied {
							most += 2
						}
						if n := w.sys[record.Right].Counts().Fetches; n > most {
							t.Errorf("%d pages were read, want %d at most", n, most)
						}
						w.inStep()
					})
				})
			}
		}
	}
}
