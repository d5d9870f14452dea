package engine_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"nightporter/sync/mapping"
	"nightporter/sync/record"
)

// One side shows a word that the table does not have. As long as nothing waits for it, that is told and nobody has
// to do anything. Once the other side changes the field, its change is not written: that waits for a person.
func TestOutsideAChangeThatMeetsWhatCantBeReadIsNotWritten(t *testing.T) {
	for _, side := range record.Sides {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, setting{words: map[string][]mapping.EnumRow{"note": {
				{Word: "held", Sides: [2][]string{{"held"}, {"held"}}}, {Word: "cancelled", Sides: [2][]string{{"cancelled"}, {"cancelled"}}},
			}}})
			defer w.close()
			for n := range 3 {
				w.put(side, n, map[string]string{"name": "Ada", "note": "held"})
			}
			w.rest()
			person := func() (found []record.Finding) {
				all, err := w.store.Findings(t.Context(), job)
				if err != nil {
					t.Fatal(err)
				}
				return slices.DeleteFunc(all, func(f record.Finding) bool { return !f.ForPerson() })
			}
			w.edit(side, 0, "note", "on request")
			w.rest()
			if got := person(); len(got) > 0 {
				t.Errorf("nothing waits, and it says %+v", got)
			}
			w.edit(side.Other(), 0, "note", "cancelled")
			w.rest()
			got := person()
			if len(got) != 1 || got[0].Place.Side != side || got[0].About != "note" || !strings.Contains(got[0].Text, "can't be read") {
				t.Errorf("a cancel waits, and it says %+v", got)
			}
			if note := w.value(side, 0, "note"); note != "on request" {
				t.Errorf("what can't be read became %q", note)
			}
			w.edit(side, 0, "note", "held")
			w.rest()
			if got := person(); len(got) > 0 || w.value(side, 0, "note") != "cancelled" {
				t.Errorf("once corrected the note is %q, and it says %+v", w.value(side, 0, "note"), got)
			}
		})
	}
}
