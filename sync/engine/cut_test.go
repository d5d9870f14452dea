package engine_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors/memory"
	"nightporter/sync/merge"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// A system keeps the beginning of a text alone, and its user adds a mark to that. The rest, which they
// never saw, is not taken away from the other side unasked.
func TestWeakCutAndEdited(t *testing.T) {
	for choice, want := range map[string]string{"": "Allergic to nuts", "right": "Allerg!", "left": "Allergic to nuts", string(record.ChoiceLeave): "Allergic to nuts"} {
		for name, k := range map[string]memory.Kind{"answers": {}, "silent": {Silent: true}, "times": {Times: true, Versions: true}} {
			t.Run(name+"/"+choice, func(t *testing.T) {
				dir := t.TempDir()
				synctest.Test(t, func(t *testing.T) {
					k.Normalise = map[string]func(record.Value) record.Value{"their_note": func(v record.Value) record.Value {
						return record.OfText(v.Text()[:min(6, len(v.Text()))])
					}}
					w := newWorld(t, setting{kinds: [2]memory.Kind{record.Right: k}, policies: map[string]merge.Policy{"note": merge.Person}})
					defer w.close()
					w.put(record.Left, 1, map[string]string{"note": "Allergic to nuts"})
					w.looked()
					if v := w.verified(dir); v.Causes[plan.Unexplained] != 0 {
						t.Errorf("verify: %+v", v.Differs)
					}
					k.Normalise["their_note"] = func(v record.Value) record.Value { return v }
					w.edit(record.Right, 1, "note", "Allerg!")
					w.looked()
					open, err := w.store.Questions(context.Background(), job, true)
					if err != nil || len(open) != 1 || open[0].Cause != plan.CutShort {
						t.Fatalf("asked are %+v, %v, want one about what was cut", open, err)
					}
					if choice != "" {
						w.must(w.store.Choose(context.Background(), open[0].ID, record.Choice(choice), record.Value{}, time.Now()))
						w.looked()
						if open, _ := w.store.Questions(context.Background(), job, true); len(open) != 0 {
							t.Errorf("decided, and asked are %+v", open)
						}
					}
					if got := w.value(record.Left, 1, "note"); got != want {
						t.Errorf("the left has %q, want %q", got, want)
					}
				})
			})
		}
	}
}
