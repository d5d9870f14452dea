package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/sync/engine"
	"nightporter/sync/plan"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// leftAlone is a world in which a record of the left is gone, and the one across was left as it is, by a person or by
// rule. Then the left gets the record once more. If booked, only who pays tells it, so that no stored key does.
func leftAlone(t *testing.T, policy away.GonePolicy, booked bool) (w *world, anew, left string) {
	t.Helper()
	w = newWorld(t, setting{kinds: deletes, gone: both(policy)})
	if booked {
		w.booked()
	}
	for n := range 3 {
		w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n)})
	}
	w.rest()
	if booked {
		w.pays(record.Left, 0, 1)
		w.rest()
	}
	was, _ := w.find(record.Left, 0)
	across, _ := w.find(record.Right, 0)
	w.remove(record.Left, 0)
	w.wholeRuns()
	if policy == away.GoneHold {
		w.answer(away.AskGone, away.ChooseLeave)
		w.wholeRuns()
	}
	wantCount(t, "questions once it was left", w.questions(), 0)
	w.tick(time.Hour)
	if booked { // a name of its own: only who pays and the phone tell it
		was.Fields["name"] = record.OfText("another name")
	}
	return w, w.sys[record.Left].Put(kinds[record.Left], was.Fields), across.Ref.ID
}

// inStepWith reports whether a record of the left is kept in step with one of the right.
func (w *world) inStepWith(left, right string) bool {
	w.Helper()
	p, ok, err := w.store.PairOf(context.Background(), record.Place{Binding: job, Side: record.Left}, record.Ref{Kind: kinds[record.Left], ID: left})
	w.must(err)
	return ok && !p.State.Ended() && p.Sides[record.Right].Ref.ID == right
}

// A record is gone, and the one across was left as it is. What is entered again is not made beside the one that was
// left: a person is asked, and told which record it may be. Their word that it is that one joins the two, in one run.
func TestOutsideWhatWasLeftIsJoinedWithWhatIsEnteredAgain(t *testing.T) {
	for _, policy := range []away.GonePolicy{away.GoneHold, away.GoneUnlink} {
		for _, booked := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, a booking %t", policy, booked), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w, anew, left := leftAlone(t, policy, booked)
					defer w.close()
					w.wholeRuns()
					w.wantAsked("it is entered again", record.Left, anew, plan.AnyAnswer)
					why := w.matchAsked(record.Left, anew).Why
					if !strings.Contains(why, left) || !strings.Contains(why, "may be the same record") || strings.Contains(why, "nightporter conflicts") {
						t.Errorf("the question does not say which record it may be, or names another question: %s", why)
					}
					wantCount(t, "on the right", len(w.picture(record.Right)), 3)
					w.matchAnswer(record.Left, anew, left)
					w.rest()
					if !w.inStepWith(anew, left) {
						t.Errorf("the two are not linked:\n%s", w.both())
					}
					wantCount(t, "questions", w.questions(), 0)
					wantCount(t, "on the right after the answer", len(w.picture(record.Right)), 3)
					w.sys[record.Left].Edit(kinds[record.Left], anew, record.Fields{"note": record.OfText("by the left")})
					w.sys[record.Right].Edit(kinds[record.Right], left, record.Fields{"their_name": record.OfText("by the right")})
					w.rest()
					w.idle(2)
				})
			})
		}
	}
}

// Two records are entered again, and a person says of both that they are the one that was left. Only one of them can
// be: the other stays a question, and none is made.
func TestOutsideWhatWasLeftIsJoinedOnce(t *testing.T) {
	for _, booked := range []bool{false, true} {
		t.Run(fmt.Sprintf("a booking %t", booked), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, anew, left := leftAlone(t, away.GoneHold, booked)
				defer w.close()
				w.wholeRuns()
				first, _ := w.sys[record.Left].Get(kinds[record.Left], anew)
				second := w.sys[record.Left].Put(kinds[record.Left], first.Fields)
				w.wholeRuns()
				for _, id := range []string{anew, second} {
					w.wantAsked("two are entered again", record.Left, id, plan.AnyAnswer)
					w.matchAnswer(record.Left, id, left)
				}
				w.tick(time.Minute)
				if n := w.run(engine.Options{Yes: true, Full: true}).Counts["linked"]; n != 1 {
					t.Errorf("%d were linked with the one that was left: the second takes the place of the first", n)
				}
				w.wholeRuns()
				if w.inStepWith(anew, left) == w.inStepWith(second, left) {
					t.Errorf("want that one of the two is linked:\n%s", w.both())
				}
				wantCount(t, "questions", w.questions(), 1)
				wantCount(t, "on the right", len(w.picture(record.Right)), 3)
			})
		})
	}
}

// A person says that it is the one that was left, and before the next run that one becomes somebody else: they are
// asked again.
func TestOutsideWhatWasLeftIsAnotherByThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, anew, left := leftAlone(t, away.GoneHold, false)
		defer w.close()
		w.wholeRuns()
		w.matchAnswer(record.Left, anew, left)
		w.sys[record.Right].Edit(kinds[record.Right], left, record.Fields{"their_phone": record.OfText(phoneOf(9))})
		w.wholeRuns()
		if w.inStepWith(anew, left) {
			t.Errorf("the two are linked, though one is somebody else by now:\n%s", w.both())
		}
		wantCount(t, "on the right", len(w.picture(record.Right)), 3)
		w.wantAsked("it is somebody else by now", record.Left, anew, plan.AnyAnswer)
		w.matchAnswer(record.Left, anew, left)
		w.wholeRuns()
		if !w.inStepWith(anew, left) {
			t.Errorf("the two are not linked, though a person said it again:\n%s", w.both())
		}
	})
}

// A booking names a guest who was left without a partner. It waits, and says what a person can do about that.
func TestOutsideWhatNamesOneThatWasLeftSaysWhatToDo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _, left := leftAlone(t, away.GoneHold, true)
		defer w.close()
		w.wholeRuns()
		id := w.sys[record.Right].Put(kinds[record.Right], record.Fields{"their_phone": record.OfText(phoneOf(7)), "their_mail": record.OfText(left)})
		w.wholeRuns()
		if why := w.entryOf(record.Right, id).Why; !strings.Contains(why, "enter it in one again, and nightporter conflicts asks") {
			t.Errorf("it waits without a next step: %s", why)
		}
	})
}
