package engine_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/sync/engine"
	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// heldOn is the one open conflict about a field.
func (w *world) heldOn(field string) record.Conflict {
	w.Helper()
	open, err := w.store.Conflicts(context.Background(), job, true)
	if err != nil || len(open) != 1 || open[0].Field != field {
		w.Fatalf("got conflicts %+v, %v, want one about %s", open, err, field)
	}
	return open[0]
}

// A held field keeps the values that the question is about. An edit after that refreshes
// the question and takes a decision back that was made on the old values; the record's
// other fields flow meanwhile.
func TestF46_HeldConflictFollowsLaterEdits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{policies: map[string]merge.Policy{"name": merge.LeftWins, "note": merge.RightWins, "mail": merge.Person}})
		defer w.close()
		w.put(record.Left, 0, map[string]string{"name": "a", "note": "a", "mail": "a"})
		w.rest()
		w.edit(record.Left, 0, "mail", "left")
		w.edit(record.Right, 0, "mail", "right")
		w.rest()
		first := w.heldOn("mail")
		if first.Left.Text() != "left" || first.Right.Text() != "right" || first.Base.Text() != "a" {
			t.Fatalf("got %+v, want both values and the one last in step", first)
		}
		w.edit(record.Left, 0, "name", "flows")
		w.edit(record.Right, 0, "note", "flows")
		w.rest()
		if got := w.value(record.Right, 0, "name") + w.value(record.Left, 0, "note"); got != "flowsflows" {
			t.Errorf("other fields of the record: got %q, want both carried over", got)
		}
		if same := w.heldOn("mail"); same.ID != first.ID || !same.Opened.Equal(first.Opened) {
			t.Errorf("got conflict %d of %s, want the same question as before: %d of %s", same.ID, same.Opened, first.ID, first.Opened)
		}
		if err := w.store.Choose(context.Background(), first.ID, "left", record.Value{}, time.Now()); err != nil {
			t.Fatal(err)
		}
		w.edit(record.Right, 0, "mail", "later")
		before := w.mutations()
		w.run(engine.Options{Yes: true})
		again := w.heldOn("mail")
		if again.Right.Text() != "later" || again.Choice != "" {
			t.Errorf("got %+v, want the new value and no decision", again)
		}
		if n := w.mutations() - before; n != 0 {
			t.Errorf("a decision on values that are no more was carried out: %d writes", n)
		}
		if got := w.value(record.Right, 0, "mail"); got != "later" {
			t.Errorf("got %s, want the later edit left alone", got)
		}
		if err := w.store.Choose(context.Background(), again.ID, "right", record.Value{}, time.Now()); err != nil {
			t.Fatal(err)
		}
		w.rest()
		if got := w.value(record.Left, 0, "mail"); got != "later" || len(w.open()) > 0 {
			t.Errorf("got %s and %v open, want the decision on what is there carried out", got, w.open())
		}
	})
}
