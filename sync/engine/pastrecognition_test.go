package engine_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// The list of a side is empty, and its linked records are read by id. Of two records one was changed past
// recognition: as long as the other one is recognised the account is ours, and the job goes on. If none is,
// the ids may be those of another account: the job stops, and does not say that the records are not there.
func TestAListThatIsEmptyOfWhatIsThere(t *testing.T) {
	for name, changed := range map[string][]int{"one was changed past recognition": {2}, "all were": {1, 2}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{kinds: [2]memory.Kind{{}, {}}})
				defer w.close()
				w.eng.Jobs[job].Shrink = 10
				for i := 1; i <= 2; i++ {
					w.put(record.Left, i, map[string]string{"name": "Anna"})
				}
				w.rest()
				for _, i := range changed {
					r, _ := w.find(record.Right, i)
					w.sys[record.Right].Edit(kinds[record.Right], r.Ref.ID, record.Fields{
						spell(record.Right, "phone"): record.OfText(phoneOf(70 + i)), spell(record.Right, "name"): record.OfText("Zoe"),
						spell(record.Right, "mail"): record.OfText("zoe@example.com"), spell(record.Right, "note"): record.OfText("late"),
					})
				}
				w.sys[record.Right].Inject(memory.Fault{Call: memory.CallFetch, Drop: 2, Times: 9})
				rep, err := w.try(engine.Options{Yes: true, Full: true})
				if stops := len(changed) == 2; (err != nil || len(rep.Halts) > 0) != stops {
					t.Fatalf("stopped: %v, %v; want %t", err, rep.Halts, stops)
				}
				for _, h := range rep.Halts {
					if !strings.Contains(h.Why, "0 are not there and 2 show another record") {
						t.Errorf("the job says %q", h.Why)
					}
				}
			})
		})
	}
}
