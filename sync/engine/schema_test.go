package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// hides has lists and reads of the right leave a field out until it is healed.
func (w *world) hides(field string) {
	for _, call := range []memory.Call{memory.CallFetch, memory.CallGet} {
		w.sys[record.Right].Inject(memory.Fault{Call: call, Times: -1, LeaveOut: []string{field}})
	}
}

// standsFor runs the job and makes sure that it stands still for a field, and writes
// nothing.
func (w *world) standsFor(field string, rows int) {
	w.Helper()
	before, written := w.both(), w.mutations()
	for range 3 { // it is not over because the bytes are the ones last listed
		rep, err := w.try(engine.Options{Yes: true})
		if !errors.Is(err, engine.ErrHalted) || len(rep.Halts) != 1 || rep.Halts[0].Cause != "schema" || rep.Halts[0].Side != record.Right {
			w.Fatalf("got %v, %+v", err, rep.Halts)
		}
		for _, word := range []string{"two", field, fmt.Sprintf("%d of its 10", rows), "nightporter resume"} {
			if !strings.Contains(rep.Halts[0].Why, word) {
				w.Errorf("%q is missing in: %s", word, rep.Halts[0].Why)
			}
		}
	}
	if n := w.mutations() - written; n != 0 || w.both() != before {
		w.Errorf("%d writes were made", n)
	}
}

// tenWithNotes is ten linked people of whom the right shows a note.
func tenWithNotes(t *testing.T) *world {
	w := linkedPeople(t, 10)
	for i := range 10 {
		w.edit(record.Right, i, "note", fmt.Sprint("note", i))
	}
	w.rest()
	return w
}

// A field that most records had and that a system shows no more stops the job before its
// first write, until it is shown again, the mapping follows it, or a person lets it go.
func TestF20_FieldGone(t *testing.T) {
	for name, mend := range map[string]func(w *world){
		"shown again": func(w *world) { w.sys[record.Right].Heal() },
		"mapped anew": func(w *world) {
			w.sys[record.Right].Heal()
			w.remap(func(i int) string { return fmt.Sprint("note", i) })
			w.hides("their_note")
		},
		"let go": func(w *world) {
			if _, err := w.store.AnswerHalts(context.Background(), job, record.Accepted, "somebody"); err != nil {
				w.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := tenWithNotes(t)
				defer w.close()
				w.edit(record.Left, 1, "name", "new")
				w.hides("their_note")
				w.standsFor("their_note", 10)
				kick, _ := w.find(record.Left, 1)
				if _, err := w.try(engine.Options{Only: []record.Ref{kick.Ref}, OnlySide: record.Left}); !errors.Is(err, engine.ErrHalted) {
					t.Errorf("a record that is asked for by name: got %v", err)
				}
				mend(w)
				w.rest()
				for i := range 10 {
					w.edit(record.Right, i, "name", fmt.Sprint("later", i)) // all rows are other bytes once more
				}
				w.rest()
				if halts, err := w.store.Halts(t.Context(), job); err != nil || len(halts) > 0 {
					t.Errorf("got %v, %+v", err, halts)
				}
				if got := w.value(record.Right, 1, "name"); got != "later1" {
					t.Errorf("got %q, want the edit", got)
				}
				for i := range 10 {
					if got := w.value(record.Left, i, "note"); got != fmt.Sprint("note", i) {
						t.Errorf("the note of %d on the left: got %q, want it to stay", i, got)
					}
				}
			})
		})
	}
}

// What was let go is asked about again once the field was shown again and is gone anew.
func TestF20_LetGoOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := tenWithNotes(t)
		defer w.close()
		w.hides("their_note")
		w.standsFor("their_note", 10)
		if _, err := w.store.AnswerHalts(t.Context(), job, record.Accepted, "somebody"); err != nil {
			t.Fatal(err)
		}
		w.rest()
		w.sys[record.Right].Heal()
		w.rest()
		w.hides("their_note")
		w.standsFor("their_note", 10)
	})
}

// Fewer records than a fifth, or than five, lose a field on any day; and a field that
// lists never showed is missed by nobody.
func TestF20_FewLoseAField(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{kinds: [2]memory.Kind{{}, {ListHides: []string{"their_note"}}}})
		defer w.close()
		for i := range 4 {
			w.put(record.Left, i, map[string]string{"name": fmt.Sprint("n", i), "note": "x", "mail": "m@example.com"})
		}
		w.rest()
		w.hides("their_mail") // of four
		w.rest()
		for i := 4; i < 10; i++ {
			w.put(record.Left, i, map[string]string{"name": fmt.Sprint("n", i), "note": "x"})
		}
		w.rest()
		for i := range 10 {
			w.edit(record.Right, i, "name", fmt.Sprint("later", i))
		}
		w.rest()
	})
}
