package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// A search lags behind what lists and reads by id show. What it still shows of a record that is
// known by now is older than that, and is nobody's edit.
func TestOutside38ASearchThatLagsTellsNoEdit(t *testing.T) {
	for name, k := range map[string]memory.Kind{"reads by id": {}, "no reads by id": {NoGet: true}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k.Since, k.Times, k.FindBy, k.FindLag = true, true, [][]string{{"phone"}}, settle*9/10
				w := newWorld(t, setting{kinds: [2]memory.Kind{k, {}}, policies: map[string]merge.Policy{"name": merge.LeftWins, "note": merge.LeftWins, "phone": merge.LeftWins}})
				defer w.close()
				for _, side := range record.Sides {
					w.put(side, 0, map[string]string{"name": "Ada"})
				}
				w.rest()
				w.tick(time.Minute)
				w.put(record.Right, 2, map[string]string{"name": "Bea"})
				w.put(record.Left, 2, map[string]string{"name": "Cleo"})
				w.tick(15 * time.Second)
				w.edit(record.Left, 2, "note", "late arrival")
				w.edit(record.Left, 2, "phone", phoneOf(9)) // she is another one
				for range 4 {
					w.run(engine.Options{Yes: true})
					if note := w.value(record.Right, 9, "note"); note != "late arrival" && w.on(record.Right, 9) > 0 {
						t.Errorf("the right has the note %q", note)
					}
				}
				w.rest()
				if note := w.value(record.Right, 9, "note"); note != "late arrival" {
					t.Errorf("at rest the right has the note %q", note)
				}
				wantCount(t, "records of Bea on the left", w.on(record.Left, 2), 1)
				wantCount(t, "questions", len(w.open()), 0)
			})
		})
	}
}
