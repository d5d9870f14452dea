package engine_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// heldOn is the one open conflict about a field.
func (w *world) heldOn(field string) record.Question {
	w.Helper()
	open, err := w.store.Questions(context.Background(), job, true)
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

// What a person typed is for both sides. Where one of them can't take it at once it gets
// it later, though nobody edited it there since it was settled; and a system that answers
// and keeps what it had is not asked for ever: a person is told.
func TestTypedChoiceReachesBothSides(t *testing.T) {
	no := func(c connectors.ErrorClass, applied bool) memory.Fault {
		return memory.Fault{Call: memory.CallApply, Op: record.Update, Class: c, Applied: applied}
	}
	keeps := func(record.Value) record.Value { return record.OfText("a") }
	for name, tt := range map[string]struct {
		fault memory.Fault
		makes func(record.Value) record.Value // of what it is given
		want  string
	}{
		"can't be written now":      {no(connectors.Transient, false), nil, "typed"},
		"unanswered":                {no(connectors.Ambiguous, false), nil, "typed"},
		"unanswered, and applied":   {no(connectors.Ambiguous, true), nil, "typed"},
		"kept":                      {memory.Fault{Call: memory.CallFind}, keeps, "a"},
		"unanswered, and kept":      {no(connectors.Ambiguous, true), keeps, "a"},
		"not written now, and kept": {no(connectors.Transient, false), keeps, "a"},
	} {
		for _, late := range record.Sides {
			t.Run(name+" on the "+late.String(), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := setting{}
					s.kinds[late].Normalise = map[string]func(record.Value) record.Value{}
					w := newWorld(t, s)
					defer w.close()
					for i := range w.eng.Jobs[job].Rules.Merge {
						w.eng.Jobs[job].Rules.Merge[i].Clear = merge.HoldClear
					}
					w.put(record.Left, 0, map[string]string{"name": "a", "note": "a"})
					w.rest()
					w.edit(late.Other(), 0, "note", "")
					w.rest()
					if err := w.store.Choose(t.Context(), w.heldOn("note").ID, "value", record.OfText("typed"), time.Now()); err != nil {
						t.Fatal(err)
					}
					if tt.makes != nil {
						s.kinds[late].Normalise[spell(late, "note")] = tt.makes
					}
					w.sys[late].Inject(tt.fault)
					w.rest()
					if got, other := w.value(late, 0, "note"), w.value(late.Other(), 0, "note"); got != tt.want || other != "typed" {
						t.Errorf("got %q, and %q across, want %q and what was typed", got, other, tt.want)
					}
					if open := w.open(); len(open) > 0 && tt.want == "typed" {
						t.Errorf("done, and still asked: %v", open)
					}
					if open := w.untaken(); tt.want != "typed" && len(open) != 1 {
						t.Errorf("it was not taken, and asked are %v", open)
					}
					w.idle(3)
				})
			})
		}
	}
}

// A system that keeps what it had is given once what a person typed, also while something
// else of the record is refused time and again.
func TestTypedChoiceIsUsedUpByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		normalise := map[string]func(record.Value) record.Value{}
		w := newWorld(t, setting{kinds: [2]memory.Kind{{}, {
			Fields: map[string]connectors.Field{"their_name": {MaxRunes: 10}}, Normalise: normalise,
		}}})
		defer w.close()
		w.put(record.Left, 0, map[string]string{"name": "a", "note": "a"})
		w.rest()
		w.edit(record.Left, 0, "name", "far too long a name")
		w.rest() // it is refused, and goes by itself from then on
		normalise["their_note"] = func(record.Value) record.Value { return record.OfText("a") }
		for i := range w.eng.Jobs[job].Rules.Merge {
			w.eng.Jobs[job].Rules.Merge[i].Clear = merge.HoldClear
		}
		w.edit(record.Left, 0, "note", "")
		w.rest()
		if err := w.store.Choose(t.Context(), w.heldOn("note").ID, "value", record.OfText("typed"), time.Now()); err != nil {
			t.Fatal(err)
		}
		given, refused := 0, len(w.refused())
		for range 5 {
			w.tick(time.Second)
			for _, a := range w.run(engine.Options{Yes: true}).Actions {
				if a.Side == record.Right && a.Change.Fields["their_note"].Observed() {
					given++
				}
			}
		}
		if given != 1 || refused != 1 || len(w.untaken()) != 1 {
			t.Errorf("given %d times, %d refused, asked %v, want it given once beside one refusal, and that it was not taken", given, refused, w.open())
		}
	})
}

// A person decides otherwise while what they typed stands on one side alone: it is not
// what they were asked about that stands there any more. They are asked anew, until they
// decide on what does.
func TestDecidedAnewHalfway(t *testing.T) {
	for _, late := range record.Sides {
		t.Run(late.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{})
				defer w.close()
				for i := range w.eng.Jobs[job].Rules.Merge {
					w.eng.Jobs[job].Rules.Merge[i].Clear = merge.HoldClear
				}
				choose := func(choice string, v record.Value) {
					if err := w.store.Choose(t.Context(), w.heldOn("note").ID, record.Choice(choice), v, time.Now()); err != nil {
						t.Fatal(err)
					}
				}
				w.put(record.Left, 0, map[string]string{"name": "a", "note": "a"})
				w.rest()
				w.edit(late.Other(), 0, "note", "")
				w.rest()
				choose("value", record.OfText("typed"))
				w.sys[late].Inject(memory.Fault{Call: memory.CallApply, Op: record.Update, Class: connectors.Transient})
				w.run(engine.Options{Yes: true})
				choose(late.Other().String(), record.Value{}) // the empty one, as they think
				before := w.mutations()
				w.rest()
				again := w.heldOn("note")
				if n := w.mutations() - before; again.Choice != "" || again.Left.Text()+again.Right.Text() == "a" || n != 0 {
					t.Fatalf("got %+v and %d writes, want a question about what stands", again, n)
				}
				w.idle(3)
				choose(late.String(), record.Value{})
				w.rest()
				if l, r := w.value(record.Left, 0, "note"), w.value(record.Right, 0, "note"); l != "a" || r != "a" || len(w.open()) > 0 {
					t.Errorf("got %q and %q, open %v, want what was chosen at last", l, r, w.open())
				}
			})
		})
	}
}
