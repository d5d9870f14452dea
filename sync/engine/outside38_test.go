package engine_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// stands is the state of the n-th person's record on a side, as the store has it.
func (w *world) stands(side record.Side, n int) record.EntryState {
	w.Helper()
	rec, _ := w.find(side, n)
	e, ok, err := w.store.Entry(context.Background(), record.Place{Binding: job, Side: side}, rec.Ref)
	if err != nil || !ok {
		w.Fatalf("entry of %d: %t %v", n, ok, err)
	}
	return e.State
}

// A record that is too large is put aside whoever shows it: what a read by id brought across
// of it would make the record there too large to be listed as well.
func TestOutside38TooLargeForAReadByID(t *testing.T) {
	for name, k := range map[string]memory.Kind{"the list shows it": {}, "the list hides it": {ListHides: []string{"their_note"}}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{kinds: [2]memory.Kind{record.Right: k}})
				defer w.close()
				w.put(record.Left, 0, map[string]string{"name": "a"})
				w.run(engine.Options{Yes: true})
				w.tick(time.Minute)
				w.edit(record.Right, 0, "note", strings.Repeat("x", 3000))
				right, _ := w.find(record.Right, 0)
				w.run(engine.Options{Only: []record.Ref{right.Ref}, OnlySide: record.Right})
				if got := w.value(record.Left, 0, "note"); got != "" {
					t.Errorf("%d bytes were brought across", len(got))
				}
				if got := w.stands(record.Right, 0); got != record.Quarantined {
					t.Errorf("the record is %q, want it put aside", got)
				}
				w.edit(record.Right, 0, "note", "short")
				w.run(engine.Options{Only: []record.Ref{right.Ref}, OnlySide: record.Right})
				if got := w.value(record.Left, 0, "note"); got != "short" {
					t.Errorf("once it is short the left has %q", got)
				}
			})
		})
	}
}

// A list shows a new record at once, and a read by id does not yet. The record is not
// believed gone for that, and nothing is made in its place.
func TestOutside38NotYetThereForAReadByID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := memory.Kind{
			GetLag: 4 * time.Second, Late: []string{"note"},
			Unfinished: func(record.Fields) *record.Unfinished {
				return &record.Unfinished{Lacks: []string{"note"}, Within: time.Hour}
			},
		}
		w := newWorld(t, setting{kinds: [2]memory.Kind{record.Left: k}})
		defer w.close()
		w.put(record.Right, 0, map[string]string{"name": "a"})
		w.tick(time.Minute)
		w.put(record.Left, 0, map[string]string{"name": "a"})
		w.run(engine.Options{Yes: true})
		if got := w.stands(record.Left, 0); got == record.Gone {
			t.Error("it is believed gone")
		}
		w.rest()
		if got := len(w.sys[record.Left].All(kinds[record.Left])); got != 1 {
			t.Errorf("the left has %d records, want 1", got)
		}
		if rec, linked := w.find(record.Left, 0); !linked || w.due() != nil {
			t.Errorf("%v: %v is due", rec, w.due())
		}
	})
}
