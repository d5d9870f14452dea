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

// proofs is how many records are read by id to know a system by them.
const proofs = 3

// A cancel that a list still shows and that was taken back is not carried over: what it
// would end is resold before anybody can undo it. What can't be read by id then is not ended
// before it can.
func TestF37_CancelIsReadByIDBeforeItIsCarried(t *testing.T) {
	for _, c := range []struct {
		name      string
		back, cut bool // it was taken back since; it can't be read by id at first
		ends      int
	}{{"it stands", false, false, 1}, {"it was taken back", true, false, 0}, {"it can't be read", false, true, 0}} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := house(t, 8, setting{kinds: [2]memory.Kind{{ListLag: 30 * time.Second, Times: true}, {}}})
				defer w.close()
				w.tick(time.Hour)
				w.set(record.Left, 7, 8, "note", "cancelled")
				w.tick(35 * time.Second)
				if c.back {
					w.set(record.Left, 7, 8, "note", "confirmed")
				}
				if c.cut {
					w.sys[record.Left].Inject(memory.Fault{Call: memory.CallGet, Skip: proofs, Class: connectors.Transient})
				}
				w.run(engine.Options{Yes: true})
				wantCount(t, "cancelled on the right", w.have(record.Right, "note", "cancelled"), c.ends)
				w.rest()
				ends := 1
				if c.back {
					ends = 0
				}
				w.wantNote("in the end", "cancelled", ends, ends)
			})
		})
	}
}
