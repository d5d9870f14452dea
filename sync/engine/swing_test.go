package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"nightporter/sync/engine"
	"nightporter/sync/merge"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// Another program puts back what is written, every time: after a few times a person is
// asked, and the rest of the record goes on. What the person says is done, and held to.
func TestF43_SwingingFieldIsHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{policies: map[string]merge.Policy{"name": merge.LeftWins}})
		defer w.close()
		for _, side := range record.Sides {
			w.put(side, 1, map[string]string{"name": "Ada", "note": "old"})
		}
		w.rest()
		w.edit(record.Left, 1, "name", "Ada L.")
		before := w.sys[record.Right].Counts().Mutations
		fight := func() {
			for range 30 {
				w.tick(time.Minute)
				w.run(engine.Options{Yes: true})
				w.tick(settle)
				w.run(engine.Options{Yes: true}) // it is seen as it was written
				w.edit(record.Right, 1, "name", "ADA")
				w.edit(record.Left, 1, "name", "Ada L.")
			}
		}
		w.policies["name"] = merge.LeftWins
		fight()
		if got := w.sys[record.Right].Counts().Mutations - before; got > 6 {
			t.Errorf("%d writes in a fight, want few", got)
		}
		open, err := w.store.Questions(t.Context(), job, true)
		if err != nil || len(open) != 1 || open[0].Field != "name" || open[0].Cause != plan.Swings {
			t.Fatalf("open conflicts: %+v, %v; want one about the name", open, err)
		}
		w.tick(5 * time.Hour)
		before = w.sys[record.Right].Counts().Mutations
		w.rest()
		w.edit(record.Left, 1, "note", "new")
		w.rest()
		if got, want := w.value(record.Right, 1, "note"), "new"; got != want {
			t.Errorf("note is %q, want %q: the name held it up", got, want)
		}
		if got := w.sys[record.Right].Counts().Mutations - before; got != 1 {
			t.Errorf("%d writes while a person is asked, want the note alone", got)
		}
		if err := w.store.Choose(t.Context(), open[0].ID, "right", record.Value{}, time.Now()); err != nil {
			t.Fatal(err)
		}
		w.rest()
		if got, want := w.value(record.Left, 1, "name"), "ADA"; got != want {
			t.Errorf("name is %q after a person chose, want %q", got, want)
		}
		if open, err := w.store.Questions(t.Context(), job, true); err != nil || len(open) != 0 {
			t.Errorf("decided, and open are %+v, %v", open, err)
		}
		w.edit(record.Left, 1, "name", "Ada the third")
		w.rest()
		if got, want := w.value(record.Right, 1, "name"), "Ada the third"; got != want {
			t.Errorf("name is %q, want %q: it is held for good", got, want)
		}
	})
}

// A person's word for always decides this conflict and every later one of its field,
// until it is taken back.
func TestDecidedForAlways(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{policies: map[string]merge.Policy{}})
		defer w.close()
		for n := range 3 {
			for _, side := range record.Sides {
				w.put(side, n, map[string]string{"name": "Ada"})
			}
		}
		w.rest()
		collide := func(n int) {
			w.edit(record.Left, n, "name", "Left")
			w.edit(record.Right, n, "name", "Right")
			w.rest()
		}
		collide(0)
		if got := w.value(record.Left, 0, "name") + w.value(record.Right, 0, "name"); got != "LeftRight" {
			t.Fatalf("names are %q before anybody decided", got)
		}
		if err := w.store.DecideAlways(t.Context(), record.Always{Binding: job, Field: "name", Take: "right", Since: time.Now()}); err != nil {
			t.Fatal(err)
		}
		w.rest()
		collide(1)
		for n := range 2 {
			if got := w.value(record.Left, n, "name") + w.value(record.Right, n, "name"); got != "RightRight" {
				t.Errorf("names are %q, want those of the right side", got)
			}
		}
		if had, err := w.store.ForgetAlways(t.Context(), job, "name"); err != nil || !had {
			t.Fatal(had, err)
		}
		collide(2)
		if got := w.value(record.Left, 2, "name") + w.value(record.Right, 2, "name"); got != "LeftRight" {
			t.Errorf("names are %q: it is decided though it was taken back", got)
		}
	})
}
