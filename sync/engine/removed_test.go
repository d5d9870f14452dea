package engine_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/state"
	"nightporter/sync/engine"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// All the records that were linked are gone, and no list of them was read: nothing is
// written before a person says that they were removed.
func TestAllRemovedIsAPersonsWord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{})
		defer w.close()
		for _, side := range record.Sides {
			w.put(side, 1, map[string]string{"name": "Ada"})
		}
		w.rest()
		w.remove(record.Right, 1)
		w.put(record.Left, 2, map[string]string{"name": "Bea"})
		w.tick(time.Minute)
		before := w.mutations()
		unread := engine.Options{Yes: true, Skip: [2]bool{record.Right: true}}
		if _, err := w.try(unread); !errors.Is(err, engine.ErrHalted) || w.mutations() != before {
			t.Fatalf("got %v and %d writes, want a halt and none", err, w.mutations()-before)
		}
		if _, err := w.store.AnswerHalts(t.Context(), job, record.Accepted, "anna"); err != nil {
			t.Fatal(err)
		}
		if _, err := w.try(unread); err != nil {
			t.Errorf("after a person's word: %v", err)
		}
		if _, made := w.find(record.Right, 2); !made {
			t.Error("after a person's word nothing was made")
		}
	})
}

// What a person said of a loss counts for the records that were linked then, and until they are
// found again: a later loss of all is asked about by itself.
func TestWeakALaterLossOfAllIsAskedAgain(t *testing.T) {
	unread := engine.Options{Yes: true, Skip: [2]bool{record.Right: true}}
	for name, back := range map[string]bool{"what was linked since": false, "what was found again": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{})
				defer w.close()
				for _, side := range record.Sides {
					w.put(side, 1, map[string]string{"name": "Ada"})
				}
				w.rest()
				one, _ := w.find(record.Right, 1)
				w.remove(record.Right, 1)
				w.put(record.Left, 2, map[string]string{"name": "Bea"})
				w.tick(time.Minute)
				if _, err := w.try(unread); !errors.Is(err, engine.ErrHalted) {
					t.Fatalf("got %v, want a halt", err)
				}
				_, err := w.store.AnswerHalts(t.Context(), job, record.Accepted, "anna")
				w.must(err)
				if back {
					w.sys[record.Right].PutAs(kinds[record.Right], one.Ref.ID, one.Fields)
					w.remove(record.Left, 2)
					w.edit(record.Left, 1, "name", "Eda")
				}
				_, err = w.try(unread)
				w.must(err)
				w.remove(record.Right, map[bool]int{true: 1, false: 2}[back])
				w.put(record.Left, 4, map[string]string{"name": "Dora"})
				w.tick(time.Minute)
				before := w.mutations()
				for range 2 {
					if _, err := w.try(unread); !errors.Is(err, engine.ErrHalted) || w.mutations() != before {
						t.Fatalf("all were lost again: got %v and %d writes, want a halt and none", err, w.mutations()-before)
					}
				}
				_, err = w.store.AnswerHalts(t.Context(), job, record.Accepted, "anna")
				w.must(err)
				if _, err := w.try(unread); err != nil {
					t.Errorf("after a person's word: %v", err)
				}
				if _, made := w.find(record.Right, 4); !made {
					t.Error("after a person's word nothing was made")
				}
			})
		})
	}
}

// answering is a store in which a person answers right after a run has looked what was
// answered.
type answering struct {
	*state.Store
	answer func()
}

func (a *answering) Choices(ctx context.Context, link record.LinkID) (map[string]record.Question, error) {
	cs, err := a.Store.Choices(ctx, link)
	if a.answer != nil {
		a.answer()
		a.answer = nil
	}
	return cs, err
}

// What a person answers while a run looks at the question once more is taken up by the
// next.
func TestAnswerWhileTheQuestionIsLookedAt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := bereft(t, setting{kinds: deletes})
		defer w.close()
		w.rest()
		w.asked(away.AskGone)
		w.eng.Stores = storesOf(t, &answering{Store: w.store, answer: func() { w.answer(away.AskGone, away.ChooseCarry) }})
		w.eng.Jobs[job].Represent = true // by another configuration every question is looked at again
		w.run(engine.Options{Yes: true})
		if got := w.has(0); got != "r" {
			t.Fatalf("it was answered too late for this run, and who is gone is on %q", got)
		}
		w.run(engine.Options{Yes: true})
		if got := w.has(0); got != "" {
			t.Errorf("answered, and who is gone is on %q", got)
		}
	})
}
