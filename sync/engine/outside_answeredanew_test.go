package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// A record that we made carries our mark, and is edited; the one that it was made from is removed. A person
// says that it is to be made anew. Its mark does not join it with the one that is gone: the edit would be
// written over, and the record deleted for its partner.
func TestOutsideAMarkDoesNotJoinWithWhatIsGone(t *testing.T) {
	for _, policy := range []away.GonePolicy{away.GoneHold, away.GoneDelete} {
		t.Run(string(policy), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				stamped := memory.Kind{Delete: true, Stamp: connectors.Stamp{Path: "ref", Find: true}}
				w := newWorld(t, setting{kinds: [2]memory.Kind{{Delete: true}, stamped}, gone: both(policy)})
				defer w.close()
				for n := range 3 {
					w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n)})
				}
				w.rest()
				w.remove(record.Left, 0)
				w.edit(record.Right, 0, "name", "edited")
				w.wholeRuns()
				w.answer(away.AskEdited, away.ChooseAnew)
				w.wholeRuns()
				w.tick(2 * time.Hour)
				w.wholeRuns()
				if _, asked := w.question(); asked {
					t.Error("a person is asked once more")
				}
				for _, side := range record.Sides {
					if got := w.value(side, 0, "name"); got != "edited" {
						t.Errorf("the %s has %q, want what was edited:\n%s", side, got, w.both())
					}
				}
			})
		})
	}
}

// A person says that what is gone was entered anew, and before the next run a booking of somebody else comes. The
// run decides twice, for it has to read a list once more: the answer counts both times.
func TestOutsideAnAnswerCountsInASecondPlan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := lobbyOf(t, away.GoneHold, memory.Kind{})
		defer w.close()
		old, _ := w.find(record.Left, 0)
		across, _ := w.find(record.Right, 0)
		w.sys[record.Right].Remove(kinds[record.Right], across.Ref.ID)
		anew := w.book(record.Right, 4, 0)
		w.move(record.Left, old.Ref.ID, 1)
		w.wholeRuns()
		w.answersAll(t, string(away.ChooseAnew))
		w.book(record.Right, 5, 3)
		w.tick(time.Minute)
		w.run(engine.Options{Yes: true, Full: true})
		p, _, err := w.store.PairOf(t.Context(), record.Place{Binding: job, Side: record.Left}, old.Ref)
		w.must(err)
		if p.Sides[record.Right].Ref.ID != anew {
			t.Errorf("it is joined with %s, want %s", p.Sides[record.Right].Ref, anew)
		}
		w.wholeRuns()
		if l, r := w.bookings(record.Left), w.bookings(record.Right); len(l) != 2 || len(r) != 2 {
			t.Errorf("the left has bookings on %v, and the right on %v, want two each:\n%s", l, r, w.both())
		}
	})
}

// A booking is gone, and the one across was moved. A person who is told of no new one says that it is to be made
// anew; before the next run the desk enters it itself, on the old days. They are asked once more, and are told.
func TestOutsideMadeAnewIsNotMadeBesideOneThatCame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := lobbyOf(t, away.GoneHold, memory.Kind{})
		defer w.close()
		old, _ := w.find(record.Left, 0)
		across, _ := w.find(record.Right, 0)
		w.sys[record.Right].Remove(kinds[record.Right], across.Ref.ID)
		w.move(record.Left, old.Ref.ID, 1)
		w.wholeRuns()
		w.answersAll(t, string(away.ChooseAnew))
		anew := w.book(record.Right, 4, 0)
		w.wholeRuns()
		if l, r := w.bookings(record.Left), w.bookings(record.Right); len(l) != 1 || len(r) != 1 {
			t.Fatalf("the left has bookings on %v, and the right on %v, want one each:\n%s", l, r, w.both())
		}
		w.answersAll(t, string(away.ChooseAnew))
		w.wholeRuns()
		p, _, err := w.store.PairOf(t.Context(), record.Place{Binding: job, Side: record.Left}, old.Ref)
		w.must(err)
		if l, r := w.bookings(record.Left), w.bookings(record.Right); len(l) != 1 || len(r) != 1 || p.Sides[record.Right].Ref.ID != anew {
			t.Errorf("the left has bookings on %v, and the right on %v; it is joined with %s", l, r, p.Sides[record.Right].Ref)
		}
	})
}

// Where a side lists what changed, a booking is removed and entered anew, and the one across is moved, all between
// the same two runs. The old one is read, and is gone: the new one waits, though the one across has its days no more.
func TestOutsideWhatWasEnteredAnewWaitsThoughTheOldOneWasMoved(t *testing.T) {
	changes := memory.Kind{Since: true, Times: true, Delete: true}
	for name, left := range map[string]memory.Kind{"whose first list permits creates": {Delete: true, Paging: memory.Keyset}, "whose creates need a second list": {Delete: true}} {
		for _, policy := range []away.GonePolicy{away.GoneHold, away.GoneDelete} {
			t.Run(name+", "+string(policy), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := lobbyIn(newWorld(t, setting{kinds: [2]memory.Kind{left, changes}, gone: both(policy)}))
					defer w.close()
					old, _ := w.find(record.Left, 0)
					across, _ := w.find(record.Right, 0)
					w.sys[record.Right].Remove(kinds[record.Right], across.Ref.ID)
					anew := w.book(record.Right, 4, 0)
					w.move(record.Left, old.Ref.ID, 1)
					w.tick(time.Minute)
					w.run(engine.Options{Yes: true})
					if l := w.bookings(record.Left); len(l) != 1 {
						t.Fatalf("the left has bookings on %v, want one:\n%s", l, w.both())
					}
					w.wholeRuns()
					w.answersAll(t, string(away.ChooseAnew))
					w.wholeRuns()
					p, _, err := w.store.PairOf(t.Context(), record.Place{Binding: job, Side: record.Left}, old.Ref)
					w.must(err)
					if l, r := w.bookings(record.Left), w.bookings(record.Right); len(l) != 1 || len(r) != 1 || p.Sides[record.Right].Ref.ID != anew {
						t.Errorf("the left has bookings on %v, and the right on %v; it is joined with %s", l, r, p.Sides[record.Right].Ref)
					}
				})
			})
		}
	}
}

// Two bookings are entered anew for one that is gone, and the one across is moved. A person says which of the two it
// is: it goes on with that one, and the other one is a booking of its own.
func TestOutsideAPersonSaysWhichWasEnteredAnew(t *testing.T) {
	for _, left := range []bool{false, true} {
		t.Run(fmt.Sprintf("the one that they name leaves %t", left), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := lobbyOf(t, away.GoneHold, memory.Kind{})
				defer w.close()
				old, _ := w.find(record.Left, 0)
				across, _ := w.find(record.Right, 0)
				w.sys[record.Right].Remove(kinds[record.Right], across.Ref.ID)
				w.move(record.Left, old.Ref.ID, 1)
				one, two := w.book(record.Right, 4, 0), w.book(record.Right, 4, 0)
				w.wholeRuns()
				c, ok := w.question()
				if !ok || len(c.Rests.Anew) != 2 || !strings.Contains(c.Why, "--with "+one) {
					t.Fatalf("got the question %+v, want which of the two it is", c)
				}
				w.answersAll(t, two)
				if left {
					w.sys[record.Right].Remove(kinds[record.Right], two)
				}
				w.wholeRuns()
				p, _, err := w.store.PairOf(t.Context(), record.Place{Binding: job, Side: record.Left}, old.Ref)
				w.must(err)
				if _, asked := w.question(); left {
					if !asked || p.Sides[record.Right].Ref.ID != across.Ref.ID || len(w.bookings(record.Left)) != 1 {
						t.Errorf("asked once more %t, linked with %s; the left has %v", asked, p.Sides[record.Right].Ref, w.bookings(record.Left))
					}
					return
				}
				if p.Sides[record.Right].Ref.ID != two {
					t.Errorf("it is joined with %s, want %s", p.Sides[record.Right].Ref, two)
				}
				if l, r := w.bookings(record.Left), w.bookings(record.Right); len(l) != 2 || len(r) != 2 {
					t.Errorf("the left has bookings on %v, and the right on %v, want two each", l, r)
				}
			})
		})
	}
}
