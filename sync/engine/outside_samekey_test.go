package engine_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors/memory"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// twoAndOne is a world in which the left has two records with one phone and the right, which
// keeps phones unique, has one. Nobody is linked.
func twoAndOne(t *testing.T) (w *world, left [2]string, right string) {
	t.Helper()
	w = newWorld(t, setting{kinds: [2]memory.Kind{{}, {Unique: [][]string{{"their_phone"}}}}})
	for i, name := range []string{"Anna", "Anna Maria"} {
		left[i] = w.sys[record.Left].Put(kinds[record.Left], record.Fields{"phone": record.OfText(phoneOf(1)), "name": record.OfText(name)})
	}
	right = w.sys[record.Right].Put(kinds[record.Right], record.Fields{"their_phone": record.OfText(phoneOf(1)), "their_name": record.OfText("Anna")})
	w.rest()
	return w, left, right
}

// matchAsked is the open question about a record without a link, none where nobody is asked.
func (w *world) matchAsked(side record.Side, id string) record.Question {
	w.Helper()
	e := w.entryOf(side, id)
	cs, err := w.store.Questions(context.Background(), job, true)
	if err != nil {
		w.Fatal(err)
	}
	for _, c := range cs {
		if c.Entry == e.Num {
			return c
		}
	}
	return record.Question{}
}

// matchAnswer says to the question about a record what a person says.
func (w *world) matchAnswer(side record.Side, id, text string) {
	w.Helper()
	if err := w.store.Choose(context.Background(), w.matchAsked(side, id).ID, "value", record.OfText(text), time.Now()); err != nil {
		w.Fatal(err)
	}
}

// wantAsked fails the test unless a person is asked about a record, and can say this. "" is
// nobody is asked.
func (w *world) wantAsked(what string, side record.Side, id string, want plan.Answers) {
	w.Helper()
	if got := plan.Answers(w.matchAsked(side, id).Choices); got != want {
		w.Errorf("%s: asked about %s of the %s: %q, want %q", what, id, side, got, want)
	}
}

// Two records of one side have the key of one of the other, which keeps it unique. What can't be
// done is not offered, and what a person says is done and stays.
func TestWeakTwoWithOneKey(t *testing.T) {
	t.Run("what is offered", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w, left, right := twoAndOne(t)
			defer w.close()
			w.wantAsked("at first", record.Left, left[0], plan.NoCreate)
			w.wantAsked("at first", record.Right, right, plan.AnyAnswer)
			w.matchAnswer(record.Left, left[0], right)
			w.rest()
			w.wantAsked("one is linked", record.Left, left[0], "")
			w.wantAsked("one is linked", record.Left, left[1], plan.LeaveAlone)
			wantCount(t, "on the right", len(w.picture(record.Right)), 1)
		})
	})
	t.Run("left out", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w, left, right := twoAndOne(t)
			defer w.close()
			w.matchAnswer(record.Left, left[1], "leave")
			for range 3 {
				w.rest()
				w.wantAsked("it was left out", record.Left, left[1], "")
				w.wantAsked("the other was left out", record.Left, left[0], plan.NoCreate)
			}
			w.sys[record.Left].Edit(kinds[record.Left], left[1], record.Fields{"note": record.OfText("edited")})
			w.rest()
			w.wantAsked("it was left out, and edited", record.Left, left[1], "")
			w.sys[record.Left].Remove(kinds[record.Left], left[0])
			w.rest()
			w.wantAsked("it was left out, and the other is gone", record.Left, left[1], "")
			w.wantAsked("all others were left out", record.Right, right, plan.AnyAnswer)
			wantCount(t, "linked", w.links(), 0)
			w.matchAnswer(record.Right, right, left[1])
			w.rest()
			wantCount(t, "linked", w.links(), 1)
			w.idle(2)
		})
	})
	t.Run("made", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w, left, right := twoAndOne(t)
			defer w.close()
			w.matchAnswer(record.Right, right, "create")
			w.rest()
			wantCount(t, "on the left", len(w.picture(record.Left)), 3)
			wantCount(t, "linked", w.links(), 1)
			for _, id := range left {
				w.wantAsked("a third was made", record.Left, id, plan.LeaveAlone)
				w.matchAnswer(record.Left, id, "leave")
			}
			w.rest()
			for _, id := range left {
				w.wantAsked("both were left out", record.Left, id, "")
			}
			w.idle(2)
		})
	})
	t.Run("taken back", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w, left, _ := twoAndOne(t)
			defer w.close()
			id := w.matchAsked(record.Left, left[1]).ID
			w.matchAnswer(record.Left, left[1], "leave")
			w.rest()
			if err := w.store.AskAgain(t.Context(), id); err != nil {
				t.Fatal(err)
			}
			w.rest()
			w.wantAsked("it is left out no more", record.Left, left[1], plan.NoCreate)
		})
	})
}

// links is how many records are linked.
func (w *world) links() int {
	w.Helper()
	n, err := w.store.LinkCount(context.Background(), job)
	if err != nil {
		w.Fatal(err)
	}
	return n
}
