package engine_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/sync/engine"
	"nightporter/sync/plan"
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

// answering is a store in which a person answers right after a run has looked what was
// answered.
type answering struct {
	engine.Store
	answer func()
}

func (a *answering) Choices(ctx context.Context, link record.LinkID) (map[string]record.Conflict, error) {
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
		w.asked(plan.AskGone)
		w.eng.Store = &answering{Store: w.store, answer: func() { w.answer(plan.AskGone, plan.ChooseCarry) }}
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
