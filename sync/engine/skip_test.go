package engine_test

import (
	"slices"
	"testing"
	"testing/synctest"

	"nightporter/state"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// A run that reads one side only takes what changed there across, over a record that
// it reads by id first: an edit on the other side that it did not list is not lost.
func TestOneSideReadOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{})
		defer w.close()
		for _, side := range record.Sides {
			w.put(side, 1, map[string]string{"name": "Ada", "note": "old"})
			w.put(side, 2, map[string]string{"name": "Eva"})
		}
		w.rest()
		w.edit(record.Left, 1, "name", "Ada L.")
		w.edit(record.Right, 1, "name", "Ada B.")
		w.edit(record.Left, 2, "name", "Eva L.")
		lists := w.sys[record.Right].Counts().Fetches
		w.run(engine.Options{Yes: true, Skip: [2]bool{record.Right: true}})
		if n := w.sys[record.Right].Counts().Fetches - lists; n != 0 {
			t.Errorf("the side that was to be skipped was listed %d times", n)
		}
		if got, want := w.value(record.Right, 2, "name"), "Eva L."; got != want {
			t.Errorf("across: name is %q, want %q", got, want)
		}
		if got, want := w.value(record.Right, 1, "name"), "Ada L."; got != want {
			t.Errorf("a collision: name is %q, want %q, which wins by its policy", got, want)
		}
		changes, err := w.store.Changes(t.Context(), state.Filter{Binding: job})
		if err != nil {
			t.Fatal(err)
		}
		lost := slices.ContainsFunc(changes, func(c state.Change) bool {
			return slices.ContainsFunc(c.Fields, func(f record.FieldReason) bool { return f.Loser.Text() == "Ada B." })
		})
		if !lost {
			t.Error("the value that lost is in no change: it was overwritten unseen")
		}
	})
}

// Nothing is written to a side that is held, and what was to be written is written
// when it is held no more.
func TestHeldSideIsNotWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{})
		defer w.close()
		for _, side := range record.Sides {
			w.put(side, 1, map[string]string{"name": "Ada", "note": "old"})
		}
		w.rest()
		w.edit(record.Left, 1, "name", "Ada L.")
		w.edit(record.Right, 1, "note", "new")
		before := w.sys[record.Right].Counts().Mutations
		rep := w.run(engine.Options{Yes: true, Hold: func(s record.Side) string {
			if s == record.Right {
				return "it is paused until noon"
			}
			return ""
		}})
		if n := w.sys[record.Right].Counts().Mutations - before; n != 0 {
			t.Errorf("%d writes to a side that was held", n)
		}
		if got, want := w.value(record.Left, 1, "note"), "new"; got != want {
			t.Errorf("the side that was not held: note is %q, want %q", got, want)
		}
		if rep.Counts["postponed"] != 1 || len(rep.Notes) != 1 || rep.Notes[0].Why != "nothing is written to two now: it is paused until noon" {
			t.Errorf("postponed %d, notes %+v", rep.Counts["postponed"], rep.Notes)
		}
		w.run(engine.Options{Yes: true})
		if got, want := w.value(record.Right, 1, "name"), "Ada L."; got != want {
			t.Errorf("held no more: name is %q, want %q", got, want)
		}
	})
}
