package engine_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// An undo that is killed at whatever step is completed by the same undo, to what it
// would have come to: nothing is made twice, and what was undone stays so.
func TestF47_UndoKilledAnywhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := func() *spoilt {
			s := setting{kinds: [2]memory.Kind{{Delete: true}, {Delete: true}}, policies: lenient().policies}
			w := spoil(t, s, sizes{updated: 2, created: 1, deleted: 1, editedUpdates: 1})
			w.tick(time.Minute)
			return w
		}
		finish := func(w *spoilt) string {
			for range 2 { // what was sent and not answered is found out by a list
				w.tick(time.Minute)
				w.undo(w.run)
				w.rest()
			}
			if due := w.due(); len(due) > 0 {
				t.Errorf("left to do: %s", strings.Join(due, "\n"))
			}
			return w.both()
		}
		w := begin()
		w.undo(w.run)
		want := finish(w)
		w.close()
		for k := 1; ; k++ {
			w := begin()
			steps := w.killed(k, engine.Options{Undo: &engine.Undo{Run: w.run}})
			if diff := cmp.Diff(want, finish(w)); diff != "" {
				t.Errorf("killed at step %d (-want +got):\n%s", k, diff)
			}
			for _, side := range record.Sides {
				if n := w.sys[side].Pending(); n > 0 {
					t.Errorf("%d writes pending", n)
				}
			}
			w.close()
			if steps < k {
				return
			}
		}
	})
}
