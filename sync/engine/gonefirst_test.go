package engine_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"nightporter/sync/engine"
	"nightporter/sync/plan"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// questions is how many questions are open.
func (w *world) questions() int {
	w.Helper()
	open, err := w.store.Questions(context.Background(), job, true)
	if err != nil {
		w.Fatal(err)
	}
	return len(open)
}

// A guest is removed and entered anew with the same phone. What becomes of the old one is asked, and
// nothing about the new one before that is answered and done: two answers that make it would make it
// twice.
func TestOutsideOneQuestionAboutWhatIsEnteredAnew(t *testing.T) {
	for _, policy := range []away.GonePolicy{away.GoneHold, away.GoneDelete} {
		for _, choice := range []away.GoneChoice{away.ChooseAnew, away.ChooseCarry, away.ChooseLeave} {
			for _, seen := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, %s, seen before it is proven %t", policy, choice, seen), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						w := newWorld(t, setting{kinds: deletes, gone: both(policy)})
						defer w.close()
						for n := range 4 {
							w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n)})
						}
						w.rest()
						old, _ := w.find(record.Right, 0)
						w.remove(record.Left, 0)
						w.put(record.Left, 0, map[string]string{"name": "name 0"})
						anew, _ := w.find(record.Left, 0)
						if seen {
							w.run(engine.Options{Yes: true, Seen: true})
							if n := w.questions(); n != 0 {
								t.Errorf("%d questions before the absence is proven", n)
							}
						}
						w.wholeRuns()
						for range 2 {
							if n := w.questions(); n != 1 {
								t.Errorf("%d questions are open, want that about the record that is gone alone", n)
							}
							w.wantAsked("the other question is open", record.Left, anew.Ref.ID, "")
							w.run(engine.Options{Yes: true, Only: []record.Ref{anew.Ref}, OnlySide: record.Left})
						}
						q, _ := w.question()
						if !strings.Contains(q.Why, anew.Ref.String()+", which agrees with it by a match rule") {
							t.Errorf("the question does not name the new one: %s", q.Why)
						}
						w.answer(away.Question(q.Cause), choice)
						w.wholeRuns()
						_, stays := w.sys[record.Right].Get(kinds[record.Right], old.Ref.ID)
						if stays == (choice == away.ChooseCarry) {
							t.Errorf("the old row stays: %t", stays)
						}
						wantCount(t, "on the left", len(w.picture(record.Left)), 4)
						wantCount(t, "on the right", len(w.picture(record.Right)), 4)
						if choice == away.ChooseLeave {
							w.wantAsked("the old one was left alone", record.Left, anew.Ref.ID, plan.AnyAnswer)
							return
						}
						wantCount(t, "questions", w.questions(), 0)
						w.idle(2)
					})
				})
			}
		}
	}
}

// A guest is entered anew, and his stay names the new row. Of the old one a person says that it goes: it
// waits until the booking across is moved, and that one until the new guest is there. So what he is is
// asked then, and the old contact goes once the booking names the new one.
func TestOutsideTheOldOneGoesOnceTheNewOneIsNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := fullHostel(t, away.GoneHold, away.GoneHold, true)
		left, right := record.Left, record.Right
		n.sys[right].Remove(kinds[right], n.of(right, kinds[right], "name", "Bruno"))
		anew := n.guest("Bruno", phoneOf(2))
		n.sys[right].Edit(stayKinds[right], n.of(right, stayKinds[right], "room", "102"), record.Fields{"guest_id": record.OfText(anew)})
		n.rest()
		old := n.of(left, kinds[left], "name", "Bruno")
		asked := func() []record.Question {
			cs, err := n.store.Questions(t.Context(), job, true)
			if err != nil {
				t.Fatal(err)
			}
			return cs
		}
		if cs := asked(); len(cs) != 1 || cs[0].Field != engine.RecordField {
			t.Fatalf("asked: %v, want what becomes of the one that is gone alone", cs)
		}
		n.say(asked()[0], away.ChooseCarry)
		n.rest()
		cs := asked()
		i := slices.IndexFunc(cs, func(c record.Question) bool { return c.Field == "match" })
		if i < 0 {
			t.Fatalf("nothing is asked about the new one: %v", cs)
		}
		n.say(cs[i], "create")
		n.rest()
		made := n.of(left, kinds[left], "name", "Bruno")
		if made == "" || made == old || len(n.sys[left].All(kinds[left])) != 2 {
			t.Errorf("the contact is %q, and was %q, of %d", made, old, len(n.sys[left].All(kinds[left])))
		}
		if n.of(left, stayKinds[left], "guest_id", made) == "" {
			t.Error("the booking does not name the new contact")
		}
		if cs := asked(); len(cs) != 0 {
			t.Errorf("still asked: %v", cs)
		}
	})
}
