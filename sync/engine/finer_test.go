package engine_test

import (
	"testing"
	"testing/synctest"

	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// Times of a database are finer than the milliseconds that the state keeps. Who edits all records there
// has them neither taken for others nor for older ones, also where they are read in another way since.
func TestWeakTimesFinerThanTheState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{
			kinds:    [2]memory.Kind{record.Right: {Times: true}},
			policies: map[string]merge.Policy{"name": merge.LeftWins, "note": merge.LeftWins, "mail": merge.LeftWins},
		})
		defer w.close()
		for n := range 3 {
			w.put(record.Right, n, map[string]string{"name": "Ada", "note": "quiet"})
		}
		w.rest()
		for n := range 3 {
			w.edit(record.Right, n, "name", "Augusta")
			w.edit(record.Right, n, "note", "by the lift")
		}
		w.run(engine.Options{Yes: true})
		for n := range 3 {
			if got := w.value(record.Left, n, "name"); got != "Augusta" {
				t.Errorf("guest %d of the left has %q", n, got)
			}
		}
		w.rest()
		w.renamed = map[string]string{"mail": "their_fax"}
		w.restart()
		w.run(engine.Options{Yes: true, Full: true})
	})
}
