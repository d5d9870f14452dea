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

// A list lags behind and does not show the newest records, all of them made by us. Reads by id show them, so the
// system was not put back: the job goes on, and nothing is made twice.
func TestOutsideAListThatLagsIsNoOlderCopy(t *testing.T) {
	for _, readable := range []bool{true, false} {
		t.Run(fmt.Sprintf("readable by id %t", readable), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{kinds: [2]memory.Kind{{}, {Paging: memory.Keyset}}})
				defer w.close()
				w.eng.Jobs[job].Sides[record.Right].Can.Get = readable
				put := func(from, to int) {
					for n := from; n < to; n++ {
						w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n)})
					}
				}
				put(0, 10)
				w.rest()
				put(10, 16)
				w.rest()
				w.tick(time.Hour)
				w.sys[record.Right].Inject(memory.Fault{Call: memory.CallFetch, Kind: kinds[record.Right], Drop: 6, Times: -1})
				put(16, 17)
				_, err := w.try(engine.Options{Yes: true, Full: true})
				if halted := err != nil; halted == readable {
					t.Fatalf("the job stands: %t, want %t: %v", halted, !readable, err)
				}
				w.sys[record.Right].Heal()
				if !readable {
					return
				}
				w.wholeRuns()
				wantCount(t, "on the right", len(w.picture(record.Right)), 17)
			})
		})
	}
}
