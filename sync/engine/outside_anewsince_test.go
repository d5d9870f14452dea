package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// A record is removed, a person is asked whether the one across is to go, too, and it is entered anew
// after that: before they answer, or between the answer and the next run. Their yes is not for that one:
// the row across keeps its id and what no job maps until they were told.
func TestOutsideAYesIsNotForWhatWasEnteredAnewSince(t *testing.T) {
	for _, when := range []string{"before the answer", "after the answer", "never"} {
		for _, then := range []away.GoneChoice{away.ChooseCarry, away.ChooseAnew} {
			t.Run(fmt.Sprintf("%s, %s", when, then), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t, setting{kinds: deletes, gone: both(away.GoneHold)})
					defer w.close()
					for n := range 4 {
						w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n)})
					}
					w.rest()
					old, _ := w.find(record.Right, 0)
					w.remove(record.Left, 0)
					w.wholeRuns()
					w.asked(away.AskGone)
					again := func() { w.put(record.Left, 0, map[string]string{"name": "name 0"}) }
					if when == "before the answer" {
						again()
						w.wholeRuns()
						c := w.asked(away.AskGone)
						anew, _ := w.find(record.Left, 0)
						if !strings.Contains(c.Why, anew.Ref.String()) {
							t.Errorf("the question does not name %s: %s", anew.Ref, c.Why)
						}
						return
					}
					w.answer(away.AskGone, away.ChooseCarry)
					if when == "after the answer" {
						again()
					}
					w.wholeRuns()
					_, stays := w.sys[record.Right].Get(kinds[record.Right], old.Ref.ID)
					if when == "never" {
						if stays {
							t.Error("what a person said was not done")
						}
						return
					}
					if !stays {
						t.Fatalf("the row across went, though it was entered anew:\n%s", w.both())
					}
					w.answer(away.AskGone, then) // they were told
					w.wholeRuns()
					if _, stays := w.sys[record.Right].Get(kinds[record.Right], old.Ref.ID); stays != (then == away.ChooseAnew) {
						t.Errorf("the row across stays: %t", stays)
					}
					if w.has(0) != "lr" || w.questions() > 0 {
						t.Errorf("it is held by %q, and %d questions are open:\n%s", w.has(0), w.questions(), w.both())
					}
				})
			})
		}
	}
}

// A booking is removed and entered anew, and a person is asked. Then the desk enters a second room for
// the same guest and days: the new booking may be either, so that no rule joins it with that one.
func TestOutsideWhatWasEnteredAnewIsNotJoinedWithASecondRoom(t *testing.T) {
	for _, then := range []away.GoneChoice{away.ChooseNone, away.ChooseAnew, away.ChooseCarry, away.ChooseLeave} {
		for _, answered := range []string{"before the second room", "after it"} {
			t.Run(fmt.Sprintf("%s, %q", answered, then), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t, setting{kinds: deletes, gone: both(away.GoneHold)})
					defer w.close()
					w.booked()
					for n := range 4 {
						w.put(record.Left, 4+n, map[string]string{"name": fmt.Sprint("Guest", n)})
					}
					w.rest()
					book := func(side record.Side) record.Ref {
						guest, _ := w.find(side, 4)
						return record.Ref{Kind: kinds[side], ID: w.sys[side].Put(kinds[side], record.Fields{
							spell(side, "phone"): record.OfText(phoneOf(0)), spell(side, "mail"): record.OfText(guest.Ref.ID),
						})}
					}
					old := book(record.Left)
					w.rest()
					across, made := w.find(record.Right, 0)
					if !made {
						t.Fatal("the booking was not made across")
					}
					w.sys[record.Left].Remove(kinds[record.Left], old.ID)
					anew := book(record.Left)
					w.wholeRuns()
					w.asked(away.AskGone)
					if answered == "before the second room" && then != away.ChooseNone {
						w.answer(away.AskGone, then)
					}
					second := book(record.Right)
					w.wholeRuns()
					partner := func(ref record.Ref, side record.Side) string {
						p, ok, err := w.store.PairOf(t.Context(), record.Place{Binding: job, Side: side}, ref)
						w.must(err)
						if !ok || p.State.Ended() {
							return ""
						}
						return p.Sides[side.Other()].Ref.ID
					}
					if then == away.ChooseNone || answered == "after it" {
						if got := partner(anew, record.Left); got != "" {
							t.Fatalf("%s was joined with %s unasked:\n%s", anew, got, w.both())
						}
						w.idle(2)
						c := w.asked(away.AskGone)
						for _, ref := range []record.Ref{anew, second} {
							if !strings.Contains(c.Why, ref.String()) {
								t.Errorf("the question does not name %s: %s", ref, c.Why)
							}
						}
						if then == away.ChooseNone {
							return
						}
						w.answer(away.AskGone, then)
						w.wholeRuns()
					}
					_, stays := w.sys[record.Right].Get(kinds[record.Right], across.Ref.ID)
					switch then {
					case away.ChooseAnew: // they said that it is the old one
						if got := partner(anew, record.Left); got != across.Ref.ID {
							t.Errorf("%s was joined with %q, want %s:\n%s", anew, got, across.Ref, w.both())
						}
					case away.ChooseCarry:
						if answered == "before the second room" && (!stays || partner(anew, record.Left) != "") {
							t.Errorf("the old row stays: %t, and %s is joined with %q: they were not told of the second room", stays, anew, partner(anew, record.Left))
						} else if answered == "after it" && (stays || partner(anew, record.Left) != second.ID) {
							t.Errorf("the old row stays: %t, and %s is joined with %q, want %s", stays, anew, partner(anew, record.Left), second)
						}
					case away.ChooseLeave, away.ChooseNone, away.ChooseSame:
						if !stays {
							t.Error("what was to be left is gone")
						}
					}
				})
			})
		}
	}
}
