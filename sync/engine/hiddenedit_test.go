package engine_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// A user edits two fields of a record, of which its list shows one. No version or time of change
// tells of it, or one that stands still within its second: the list itself does. The record is
// read by its id, and both go over together.
func TestAnEditThatAListShowsInPart(t *testing.T) {
	for name, kind := range map[string]memory.Kind{"no sign": {}, "versions": {Versions: true}, "times": {Times: true}} {
		for _, fails := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, the read fails %t", name, fails), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					kind.ListHides = []string{"their_mail"}
					w := newWorld(t, setting{kinds: [2]memory.Kind{record.Right: kind}})
					defer w.close()
					w.put(record.Left, 1, map[string]string{"name": "Anna", "mail": "one"})
					w.rest()
					w.tick(time.Hour)
					w.edit(record.Right, 1, "name", "Berta")
					w.edit(record.Right, 1, "mail", "two")
					if fails {
						w.sys[record.Right].Inject(memory.Fault{Call: memory.CallGet, Class: connectors.Transient, Times: 1})
					}
					w.run(engine.Options{Yes: true, Full: true})
					if got := w.value(record.Left, 1, "name") + " " + w.value(record.Left, 1, "mail"); got != "Berta two" && (!fails || got != "Anna one") {
						t.Errorf("after the run the left holds %s", got)
					}
					w.rest()
					if got := w.value(record.Left, 1, "name") + " " + w.value(record.Left, 1, "mail"); got != "Berta two" {
						t.Errorf("the left holds %s", got)
					}
				})
			})
		}
	}
}

// The read by its id fails for as long as anybody waits: nothing is decided on half of the edit, and
// after an hour it is told.
func TestAnEditThatAListShowsInPartAndNobodyCanRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: [2]memory.Kind{record.Right: {ListHides: []string{"their_mail"}}}})
		defer w.close()
		for n := range 5 {
			w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n), "mail": "one"})
		}
		w.rest()
		w.edit(record.Right, 1, "name", "Berta")
		w.edit(record.Right, 1, "mail", "two")
		rec, _ := w.find(record.Right, 1)
		w.sys[record.Right].Inject(memory.Fault{Call: memory.CallGet, ID: rec.Ref.ID, Class: connectors.Transient, Times: -1})
		for _, told := range []bool{false, true} {
			w.run(engine.Options{Yes: true, Full: true})
			if got := w.value(record.Left, 1, "name"); got != "name 1" {
				t.Errorf("the left holds %s", got)
			}
			found, err := w.store.Findings(t.Context(), job)
			if is := slices.ContainsFunc(found, func(f record.Finding) bool { return f.Name == record.FindUnseen }); err != nil || is != told {
				t.Errorf("told %t, want %t (%v)", is, told, err)
			}
			w.tick(2 * time.Hour)
		}
		w.sys[record.Right].Heal()
		w.rest()
		if got := w.value(record.Left, 1, "name") + " " + w.value(record.Left, 1, "mail"); got != "Berta two" {
			t.Errorf("the left holds %s", got)
		}
		if found, err := w.store.Findings(t.Context(), job); err != nil || len(found) > 0 {
			t.Errorf("still told: %v (%v)", found, err)
		}
	})
}
