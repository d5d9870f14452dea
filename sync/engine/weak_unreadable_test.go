package engine_test

import (
	"testing"
	"testing/synctest"

	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/mapping"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// A word that the mapping does not know, in a linked record, in one that came with it, and in one without
// a link: each run knows which it is and why, until it can be read, and verify calls it unreadable.
func TestWeakValuesThatCantBeReadAreNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{
			kinds: [2]memory.Kind{record.Left: {NoCreate: true}},
			words: map[string][]mapping.EnumRow{"note": {{Word: "quiet", Sides: [2][]string{{"quiet"}, {"quiet"}}}}},
		})
		defer w.close()
		for n := range 3 {
			word := "quiet"
			if n == 1 {
				word = "noisy"
			}
			w.put(record.Left, n, map[string]string{"name": "Ada", "note": "quiet"})
			w.put(record.Right, n, map[string]string{"name": "Ada", "note": word})
		}
		w.put(record.Right, 3, map[string]string{"name": "Ada", "note": "noisy"})
		w.rest()
		w.edit(record.Right, 0, "note", "noisy")
		for i := range 3 {
			w.run(engine.Options{Yes: true})
			all, err := w.store.Findings(t.Context(), job)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]string{}
			for _, f := range all {
				if f.Name == record.FindUnreadable {
					got[f.Ref.ID] = f.About + ": " + f.Text
				}
			}
			if len(got) != 3 || got["00000001"] == "" || got["00000002"] == "" || got["00000004"] == "" {
				t.Errorf("run %d: found is %q", i, got)
			}
		}
		rep := w.run(engine.Options{Dry: true, Verify: true, Full: true, Yes: true})
		if got := rep.Verified.Causes[plan.Unreadable]; got != 2 {
			t.Errorf("verify calls %d unreadable: %v", got, rep.Verified.Causes)
		}
		for _, n := range []int{0, 1, 3} {
			w.edit(record.Right, n, "note", "quiet")
		}
		w.rest()
		if all, err := w.store.Findings(t.Context(), job); err != nil || len(all) > 0 {
			t.Errorf("at rest found is %+v, %v", all, err)
		}
	})
}
