package engine_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// A record that we made carries our mark. The one that it was made from is removed, and its id goes to somebody else. A
// person says that this is another record: the mark does not join the two after that.
func TestOutsideAMarkDoesNotJoinWhatAPersonSaidIsAnother(t *testing.T) {
	stamped := memory.Kind{Delete: true, Stamp: connectors.Stamp{Path: "ref", Find: true}}
	for _, k := range []memory.Kind{{}, {Born: true}, {Times: true}, {Versions: true}} {
		for _, lazy := range []bool{false, true} {
			t.Run(fmt.Sprintf("born %t, times %t, versions %t, both at once %t", k.Born, k.Times, k.Versions, lazy), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					k.Delete = true
					w := newWorld(t, setting{kinds: [2]memory.Kind{k, stamped}, gone: both(away.GoneHold)})
					defer w.close()
					for n := range 4 {
						w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n), "note": fmt.Sprint("note ", n)})
					}
					w.rest()
					w.tick(time.Hour)
					was, _ := w.find(record.Left, 2)
					w.sys[record.Left].Remove(kinds[record.Left], was.Ref.ID)
					if !lazy {
						w.wholeRuns()
					}
					w.tick(time.Hour)
					w.put(record.Left, 9, map[string]string{"name": "Nora", "note": "nora"})
					other, _ := w.find(record.Left, 9)
					w.sys[record.Left].Remove(kinds[record.Left], other.Ref.ID)
					w.sys[record.Left].PutAs(kinds[record.Left], was.Ref.ID, other.Fields)
					w.wholeRuns()
					w.answer(away.AskForeign, away.ChooseAnew)
					w.wholeRuns()
					w.run(engine.Options{Yes: true, Full: true})
					if got := w.value(record.Right, 2, "name"); got != "name 2" {
						t.Errorf("the one that was there before has the name %q:\n%s", got, w.both())
					}
					if l, r := w.on(record.Left, 9), w.on(record.Right, 9); l != 1 || r != 1 {
						t.Errorf("the other one is there %d and %d times:\n%s", l, r, w.both())
					}
					if n := w.questions(); n != 1 {
						t.Errorf("%d questions, want the one about what was made from the first:\n%s", n, w.asks())
					}
				})
			})
		}
	}
}

// A question names a booking that may be the one that is gone, entered anew. That one is removed, and its id goes to the
// booking of another guest. Whoever says that the two are one did not mean that booking.
func TestOutsideTheIDOfWhatWasEnteredAnewIsGivenAgain(t *testing.T) {
	for _, k := range []memory.Kind{{}, {Born: true}, {Times: true}} {
		for _, seen := range []bool{true, false} {
			for _, before := range []bool{true, false} {
				t.Run(fmt.Sprintf("born %t, times %t, a run between %t, answered before %t", k.Born, k.Times, seen, before), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						w := lobbyOf(t, away.GoneHold, k)
						defer w.close()
						old, _ := w.find(record.Left, 0)
						across, _ := w.find(record.Right, 0)
						w.sys[record.Right].Remove(kinds[record.Right], across.Ref.ID)
						w.wholeRuns()
						anew := w.book(record.Right, 4, 0)
						w.wholeRuns()
						if before {
							w.answersAll(t, string(away.ChooseAnew))
						}
						w.tick(time.Hour)
						w.sys[record.Right].Remove(kinds[record.Right], anew)
						if seen && !before {
							w.wholeRuns()
						}
						w.tick(time.Hour)
						g, _ := w.find(record.Right, 5)
						w.sys[record.Right].PutAs(kinds[record.Right], anew, record.Fields{spell(record.Right, "phone"): record.OfText(phoneOf(3)), spell(record.Right, "mail"): record.OfText(g.Ref.ID)})
						if !before {
							w.wholeRuns()
							w.answersAll(t, string(away.ChooseAnew))
						}
						for range 3 {
							w.wholeRuns()
							w.answersAll(t, string(away.ChooseAnew))
						}
						w.wholeRuns()
						if p, _, err := w.store.PairOf(t.Context(), record.Place{Binding: job, Side: record.Left}, old.Ref); err != nil || p.Sides[record.Right].Ref.ID == anew {
							t.Errorf("it is joined with the booking of another guest: %v", err)
						}
						for _, side := range record.Sides {
							if got := w.bookings(side); len(got) != 2 {
								t.Errorf("the %s has bookings on %v, want two:\n%s", side, got, w.both())
							}
						}
						if n := w.questions(); n != 0 {
							t.Errorf("%d questions are left:\n%s", n, w.asks())
						}
					})
				})
			}
		}
	}
}

// A question names two bookings that may be the one that is gone, and a person says that it is neither. One of the two is
// removed before that is done: the old one is not joined with the other one, and the person is asked once more.
func TestOutsideNoneOfThemIsNotTheOneThatIsLeft(t *testing.T) {
	for _, after := range []bool{false, true} {
		t.Run(fmt.Sprintf("removed after the answer %t", after), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := lobbyOf(t, away.GoneHold, memory.Kind{})
				defer w.close()
				old, _ := w.find(record.Left, 0)
				across, _ := w.find(record.Right, 0)
				w.sys[record.Right].Remove(kinds[record.Right], across.Ref.ID)
				w.wholeRuns()
				first, second := w.book(record.Right, 4, 0), w.book(record.Right, 4, 0)
				w.wholeRuns()
				if after {
					w.answersAll(t, string(away.ChooseAnew))
				}
				w.tick(time.Hour)
				w.sys[record.Right].Remove(kinds[record.Right], first)
				if !after {
					w.wholeRuns()
					w.answersAll(t, string(away.ChooseAnew))
				}
				w.wholeRuns()
				with := func() string {
					p, _, err := w.store.PairOf(t.Context(), record.Place{Binding: job, Side: record.Left}, old.Ref)
					w.must(err)
					return p.Sides[record.Right].Ref.ID
				}
				if with() == second {
					t.Fatalf("it is joined with the one that is left")
				}
				if got := w.bookings(record.Right); len(got) != 1 {
					t.Errorf("the right has bookings on %v, want one:\n%s", got, w.both())
				}
				w.answersAll(t, string(away.ChooseAnew))
				w.wholeRuns()
				if with() != second {
					t.Errorf("it is not joined with the one that the question names:\n%s", w.asks())
				}
			})
		})
	}
}

// What a create made is removed at once, and its id goes to another record within the same second or two: the time when
// that was made tells little, and what it holds is all another.
func TestOutsideAnIDIsGivenAgainWithinASecond(t *testing.T) {
	for _, side := range record.Sides {
		for _, k := range []memory.Kind{{Born: true}, {Times: true, Versions: true}} {
			for _, after := range []time.Duration{30 * time.Millisecond, 400 * time.Millisecond, 1100 * time.Millisecond} {
				t.Run(fmt.Sprintf("made on the %s, times %t, after %s", side, k.Times, after), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						k.Delete = true
						w := newWorld(t, setting{kinds: [2]memory.Kind{k, k}, gone: both(away.GoneHold)})
						defer w.close()
						for n := range 4 {
							w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n), "note": fmt.Sprint("note ", n)})
						}
						w.rest()
						w.tick(time.Hour)
						w.put(side.Other(), 7, map[string]string{"name": "Alfa", "note": "alfa"})
						w.run(engine.Options{Yes: true, Full: true})
						made, _ := w.find(side, 7)
						w.tick(after)
						w.sys[side].Remove(kinds[side], made.Ref.ID)
						w.sys[side].PutAs(kinds[side], made.Ref.ID, record.Fields{
							spell(side, "phone"): record.OfText(phoneOf(8)), spell(side, "name"): record.OfText("Beta"), spell(side, "note"): record.OfText("beta"),
						})
						w.wholeRuns()
						if got := w.value(side.Other(), 7, "name"); got != "Alfa" {
							t.Errorf("what the create was made from has the name %q:\n%s", got, w.both())
						}
						if n := w.questions(); n != 1 {
							t.Errorf("%d questions, want one about the id:\n%s", n, w.asks())
						}
					})
				})
			}
		}
	}
}

// What a create made is changed in all its fields before a list has shown it. The time when it was made says that it is the
// same.
func TestOutsideAnEditOfAllOfANewRecordIsAnEdit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := memory.Kind{Born: true, Delete: true}
		w := newWorld(t, setting{kinds: [2]memory.Kind{k, k}, gone: both(away.GoneHold)})
		defer w.close()
		w.put(record.Left, 1, map[string]string{"name": "name 1"})
		w.rest()
		w.tick(time.Hour + 123*time.Millisecond)
		w.put(record.Left, 7, map[string]string{"name": "Alfa", "note": "alfa"})
		w.run(engine.Options{Yes: true, Full: true})
		made, _ := w.find(record.Right, 7)
		w.sys[record.Right].Edit(kinds[record.Right], made.Ref.ID, record.Fields{
			"their_phone": record.OfText(phoneOf(8)), "their_name": record.OfText("Beta"), "their_note": record.OfText("beta"),
		})
		w.wholeRuns()
		if n := w.questions(); n != 0 {
			t.Errorf("%d questions, want none:\n%s", n, w.asks())
		}
		if got := w.value(record.Left, 8, "name"); got != "Beta" {
			t.Errorf("the left has the name %q:\n%s", got, w.both())
		}
	})
}

// A system was put back to an older copy, and a job stands still because of that. Another job of the same system, of
// which the copy shows one sign alone, writes nothing either, until a person has said what is to be done about it.
func TestOutsideWhatWasPutBackIsSoForEveryJob(t *testing.T) {
	const other = record.Binding("other")
	stand := func(w *world, at time.Time) {
		w.must(w.store.Register(context.Background(), other, [2]record.System{"one", "two"}, [2]record.Kind{"rooms", "their_rooms"}, nil))
		l, err := w.store.Begin(context.Background(), other, false, at)
		w.must(err)
		w.must(w.store.Stand(context.Background(), l, nil, []record.Question{{Subject: record.Subject{Side: record.Right}, Cause: "rolled_back", Why: "put back", Rests: record.RestsOn("1")}}, at))
		w.must(w.store.End(context.Background(), l, record.Failed, "", record.Counts{}, at))
	}
	for sign, back := range map[string]func(*world){
		"older": func(w *world) {
			was := w.sys[record.Right].Snapshot()
			w.tick(time.Hour)
			w.edit(record.Right, 1, "name", "edited")
			w.rest()
			w.sys[record.Right].Restore(was)
		},
		"not there": func(w *world) {
			was := w.sys[record.Right].Snapshot()
			w.tick(time.Hour)
			w.put(record.Right, 9, map[string]string{"name": "late"})
			w.rest()
			w.sys[record.Right].Restore(was)
		},
	} {
		for _, beside := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, the other job stands %t", sign, beside), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					k := memory.Kind{Delete: true, Versions: true, Counting: true}
					w := newWorld(t, setting{kinds: [2]memory.Kind{k, k}, gone: both(away.GoneDelete)})
					defer w.close()
					for n := range 6 {
						w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n)})
					}
					w.rest()
					back(w)
					if beside {
						stand(w, time.Now())
					}
					before := w.mutations()
					rep, err := w.try(engine.Options{Yes: true, Full: true})
					if got := errors.Is(err, engine.ErrHalted); got != beside {
						t.Fatalf("stands still %t, want %t: %v, %+v", got, beside, err, rep.Halts)
					}
					if !beside {
						return
					}
					wantCount(t, "writes", w.mutations()-before, 0)
					_, err = w.store.AnswerHalts(t.Context(), job, record.Accepted, "somebody")
					w.must(err)
					w.wholeRuns()
					w.tick(time.Hour)
					w.edit(record.Right, 3, "name", "worked on")
					w.remove(record.Right, 4)
					w.wholeRuns() // the other job stands still yet: what this one was told was answered
					if got := w.value(record.Left, 3, "name"); got != "worked on" {
						t.Errorf("the left has %q:\n%s", got, w.both())
					}
					if n := w.on(record.Left, 4); n != 0 {
						t.Errorf("what was removed is there %d times:\n%s", n, w.both())
					}
				})
			})
		}
	}
}
