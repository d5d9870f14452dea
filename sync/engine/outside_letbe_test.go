package engine_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/plan"
	"nightporter/sync/plan/away"
	"nightporter/sync/plan/guard"
	"nightporter/sync/record"
)

// A record was removed, and the one across was left to itself, by rule or by a person. Then its system gives its id
// to somebody else, who is made across like any new record; who was left stays so.
func TestOutsideAnIDIsGivenAgainBesideOneThatWasLeft(t *testing.T) {
	for _, policy := range []away.GonePolicy{away.GoneHold, away.GoneUnlink} {
		for _, born := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, it shows times %t", policy, born), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t, setting{kinds: [2]memory.Kind{{Times: born, Delete: true}, {Delete: true}}, gone: both(policy)})
					defer w.close()
					for n := range 4 {
						w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n), "mail": fmt.Sprintf("%d@example.com", n)})
					}
					w.rest()
					was, _ := w.find(record.Left, 0)
					w.remove(record.Left, 0)
					w.wholeRuns()
					if policy == away.GoneHold {
						w.answer(away.AskGone, away.ChooseLeave)
						w.wholeRuns()
					}
					w.tick(time.Hour)
					w.sys[record.Left].PutAs(kinds[record.Left], was.Ref.ID, record.Fields{
						"phone": record.OfText(phoneOf(7)), "name": record.OfText("somebody else"), "mail": record.OfText("7@example.com"),
					})
					w.wholeRuns()
					if w.value(record.Right, 7, "name") != "somebody else" || w.value(record.Right, 0, "name") != "name 0" {
						t.Errorf("want the new one across, and the one that was left:\n%s", w.both())
					}
					if n := len(w.sys[record.Right].All(kinds[record.Right])); n != 5 || w.questions() != 0 {
						t.Errorf("the right has %d, want 5; %d questions", n, w.questions())
					}
					left, _ := w.find(record.Right, 0)
					if p, _, err := w.store.PairOf(t.Context(), record.Place{Binding: job, Side: record.Right}, left.Ref); err != nil || p.State != record.LinkParted {
						t.Errorf("the link of who was left is %q (%v), want that it is remembered", p.State, err)
					}
					w.edit(record.Left, 7, "name", "edited")
					w.rest()
					if got := w.value(record.Right, 7, "name"); got != "edited" {
						t.Errorf("the new one is not in step: %q", got)
					}
					w.idle(2)
				})
			})
		}
	}
}

// A record was removed, and the one across was left to itself. It is put back under its id with a new time of
// creation: a person is asked, and nothing is made beside the one that was left, whatever that holds by now.
func TestOutsideWhatWasLeftIsPutBack(t *testing.T) {
	for _, say := range []away.GoneChoice{away.ChooseLeave, away.ChooseSame} {
		for _, policy := range []away.GonePolicy{away.GoneHold, away.GoneUnlink} {
			t.Run(fmt.Sprint(policy, " ", say), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t, setting{kinds: [2]memory.Kind{{Times: true, Delete: true}, {Delete: true}}, gone: both(policy)})
					defer w.close()
					for n := range 4 {
						w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n), "mail": fmt.Sprintf("%d@example.com", n)})
					}
					w.rest()
					was, _ := w.find(record.Left, 0)
					w.remove(record.Left, 0)
					w.wholeRuns()
					if policy == away.GoneHold {
						w.answer(away.AskGone, away.ChooseLeave)
						w.wholeRuns()
					}
					w.edit(record.Right, 0, "phone", phoneOf(9))
					w.wholeRuns()
					w.tick(time.Hour)
					w.sys[record.Left].PutAs(kinds[record.Left], was.Ref.ID, was.Fields)
					w.wholeRuns()
					if n := len(w.sys[record.Right].All(kinds[record.Right])); n != 4 || w.questions() != 1 {
						t.Fatalf("the right has %d, want 4; %d questions, want one:\n%s", n, w.questions(), w.both())
					}
					w.answer(away.AskReturned, say)
					w.wholeRuns()
					if n := len(w.sys[record.Right].All(kinds[record.Right])); n != 4 || w.questions() != 0 {
						t.Errorf("the right has %d, want 4; %d questions, want none:\n%s", n, w.questions(), w.both())
					}
					w.idle(2)
				})
			})
		}
	}
}

// A system was put back to an older copy, and users work on in it. Each edit leaves a sign less of that, but what
// they did not edit is as old as before: the job stands still until a person says what is to be done.
func TestOutsideAJobStandsThoughUsersWorkOnInAnOldCopy(t *testing.T) {
	for _, edited := range []int{1, 2, 3} {
		t.Run(fmt.Sprint(edited, " of 3 are edited"), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := goBack(t, memory.Kind{Times: true}, func(w *world) {
					for i := range 3 {
						w.edit(record.Right, i, "note", fmt.Sprint("their", i))
					}
				})
				defer w.close()
				if _, err := w.try(engine.Options{Yes: true}); !errors.Is(err, engine.ErrHalted) {
					t.Fatalf("got %v, want a halt", err)
				}
				for i := range edited {
					w.tick(time.Minute)
					w.edit(record.Right, i, "name", fmt.Sprint("again", i))
				}
				before := w.mutations()
				rep, err := w.try(engine.Options{Yes: true})
				if !errors.Is(err, engine.ErrHalted) || len(rep.Halts) != 1 || rep.Halts[0].Cause != "rolled_back" {
					t.Fatalf("got %v, %+v", err, rep.Halts)
				}
				if n := w.mutations() - before; n != 0 {
					t.Errorf("%d writes were made", n)
				}
			})
		})
	}
}

// A person takes an old copy over as it is. What told of it before tells nothing any more: an edit that is carried
// over halts the job no more. A copy that is put back later does, and is asked about anew.
func TestOutsideAnOldCopyIsTakenOverOnce(t *testing.T) {
	for _, k := range []memory.Kind{{Times: true}, {Versions: true, Counting: true}, {Times: true, Since: true}} {
		t.Run(fmt.Sprintf("%+v", k), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := goBack(t, k, func(w *world) {
					for i := range 5 {
						w.edit(record.Left, i, "name", fmt.Sprint("new", i))
					}
				})
				defer w.close()
				halt := func() {
					t.Helper()
					if rep, err := w.try(engine.Options{Yes: true, Full: true}); !errors.Is(err, engine.ErrHalted) || rep.Halts[0].Cause != "rolled_back" {
						t.Fatalf("got %v, %+v, want a halt", err, rep.Halts)
					}
				}
				for range 3 {
					halt()
					w.edit(record.Right, 5, "name", "one that is new")
					if _, err := w.store.AnswerHalts(t.Context(), job, record.Accepted, "somebody"); err != nil {
						t.Fatal(err)
					}
					w.tick(time.Minute)
					w.edit(record.Left, 6, "note", fmt.Sprint("carried over at ", w.mutations()))
					w.rest()
					w.tick(time.Hour)
					w.edit(record.Right, 6, "note", "x") // our last write is taken back
					w.tick(time.Hour)
					w.rest()
					if got := w.value(record.Left, 0, "name"); got != "old0" {
						t.Errorf("got %q, want what was put back", got)
					}
					copied := w.sys[record.Right].Snapshot()
					w.tick(time.Hour)
					for i := range 5 {
						w.edit(record.Left, i, "name", fmt.Sprint("newer", i))
					}
					w.rest()
					w.tick(time.Hour)
					w.sys[record.Right].Restore(copied)
				}
			})
		})
	}
}

// A person takes an old copy over, in which two records are there again that were removed, and whose partners were left
// to themselves. They have lower versions than before: that halts the job no more.
func TestOutsideVersionsOfBeforeTellNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := goBack(t, memory.Kind{Versions: true, Counting: true}, func(w *world) {
			for range 3 {
				for i := range 5 {
					w.edit(record.Left, i, "name", fmt.Sprint("new at ", w.mutations()))
				}
				for _, i := range []int{8, 9} {
					w.edit(record.Right, i, "note", fmt.Sprint("new at ", w.mutations()))
				}
				w.rest()
			}
			for _, i := range []int{8, 9} {
				w.remove(record.Right, i)
				w.wholeRuns()
				w.answer(away.AskUnable, away.ChooseLeave)
				w.wholeRuns()
			}
		})
		defer w.close()
		if rep, err := w.try(engine.Options{Yes: true, Full: true}); !errors.Is(err, engine.ErrHalted) || rep.Halts[0].Cause != "rolled_back" {
			t.Fatalf("got %v, %+v, want a halt", err, rep.Halts)
		}
		if _, err := w.store.AnswerHalts(t.Context(), job, record.Accepted, "somebody"); err != nil {
			t.Fatal(err)
		}
		w.wholeRuns()
		if w.questions() != 2 {
			t.Errorf("%d questions, want one about each that is there again", w.questions())
		}
	})
}

// A person took an old copy over, and the run that did so fails at its end. The system is put back once more before
// the next one: the yes does not count for that.
func TestOutsideTheYesToAnOldCopyIsNotForTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := goBack(t, memory.Kind{Versions: true, Counting: true}, func(w *world) {
			for n := range 4 {
				w.tick(time.Minute)
				w.edit(record.Left, 1, "name", fmt.Sprint("new", n))
				w.edit(record.Left, 2, "name", fmt.Sprint("new", n))
				w.rest()
			}
		})
		defer w.close()
		halt := func() {
			t.Helper()
			if rep, err := w.try(engine.Options{Yes: true, Full: true}); !errors.Is(err, engine.ErrHalted) || rep.Halts[0].Cause != "rolled_back" {
				t.Fatalf("got %v, %+v, want a halt", err, rep.Halts)
			}
		}
		halt()
		if _, err := w.store.AnswerHalts(t.Context(), job, record.Accepted, "somebody"); err != nil {
			t.Fatal(err)
		}
		copied := w.sys[record.Right].Snapshot()
		for i := range 5 {
			w.edit(record.Left, i+3, "name", fmt.Sprint("newer", i))
		}
		w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Skip: 4, Class: connectors.Unauthorized, Times: -1})
		if _, err := w.try(engine.Options{Yes: true, Full: true}); err == nil || w.value(record.Right, 3, "name") != "newer0" {
			t.Fatalf("want a run that writes and fails, got %v:\n%s", err, w.both())
		}
		w.sys[record.Right].Heal()
		w.tick(time.Hour)
		w.sys[record.Right].Restore(copied)
		halt()
		halt()
		if got := w.value(record.Left, 3, "name"); got != "newer0" {
			t.Errorf("got %q, want nothing written from the old copy", got)
		}
		if _, err := w.store.AnswerHalts(t.Context(), job, record.Accepted, "somebody"); err != nil {
			t.Fatal(err)
		}
		w.wholeRuns() // the job goes on
		if got := w.value(record.Right, 3, "name"); got != "old3" {
			t.Errorf("got %q, want the copy as it is, as a person said again", got)
		}
	})
}

// A person would not have bookings made across. The same booking is entered there: it is the same, and is not made
// once more on the first side.
func TestOutsideWhatWasRejectedStandsThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := lobbyIn(newWorld(t, setting{guards: guard.Guards{Creates: guard.Limit{Run: guard.Amount{Count: 1}}}}))
		defer w.close()
		w.book(record.Left, 4, 3)
		w.book(record.Left, 5, 6)
		w.tick(time.Minute)
		w.run(engine.Options{})
		w.no(w.onlySet(plan.RiskCreate, 2))
		w.run(engine.Options{})
		w.book(record.Right, 4, 3)
		w.wholeRuns()
		if l, r := w.bookings(record.Left), w.bookings(record.Right); len(l) != 3 || len(r) != 2 {
			t.Errorf("the left has bookings on %v, want 3, and the right on %v, want 2:\n%s", l, r, w.both())
		}
	})
}

// twoRemoved is a world in which two bookings were removed on the right, whose lists are as lists says. A guard holds
// the two removals as one set.
func twoRemoved(t *testing.T, lists memory.Kind) (w lobby, set string) {
	t.Helper()
	lists.Delete = true
	w = lobbyIn(newWorld(t, setting{
		kinds: [2]memory.Kind{{Delete: true}, lists}, gone: both(away.GoneDelete),
		guards: guard.Guards{Deletes: guard.Limit{Run: guard.Amount{Count: 1}}},
	}))
	w.book(record.Left, 5, 3)
	w.rest()
	for _, n := range []int{0, 3} {
		r, _ := w.find(record.Right, n)
		w.sys[record.Right].Remove(kinds[record.Right], r.Ref.ID)
	}
	w.run(engine.Options{Full: true})
	return w, w.onlySet(plan.RiskDelete, 2)
}

// Two removals are held, and what was removed is entered anew. A person approves them before the next run: the
// bookings across stay, and they are asked.
func TestOutsideAYesToRemovalsIsNotForWhatWasEnteredAnew(t *testing.T) {
	for _, lists := range []memory.Kind{{}, {Since: true, Times: true}} {
		t.Run(fmt.Sprintf("lists show what changed %t", lists.Since), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, set := twoRemoved(t, lists)
				defer w.close()
				w.book(record.Right, 4, 0)
				w.book(record.Right, 5, 3)
				w.approveAlone(set)
				if l := w.bookings(record.Left); len(l) != 2 {
					t.Fatalf("the left has bookings on %v, want both", l)
				}
				w.run(engine.Options{Full: true})
				if w.questions() != 2 {
					t.Errorf("%d questions, want two", w.questions())
				}
			})
		})
	}
}

// A yes to two removals is carried out at once if neither record was entered again.
func TestOutsideAYesToRemovalsIsCarriedOutAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, set := twoRemoved(t, memory.Kind{})
		defer w.close()
		w.approveAlone(set)
		if l := w.bookings(record.Left); len(l) != 0 {
			t.Errorf("the left has bookings on %v, want none", l)
		}
	})
}
