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

// The only record that was linked on a side was removed and entered anew under its id:
// nothing vouches for that system, and the job stands still. A person is asked about the
// record all the same, and with the answer the job goes on. A create whose answer was lost,
// and which is to be sent again before anything is planned, makes no difference.
func TestF35_AllEnteredAnewIsAPersonsWord(t *testing.T) {
	for _, c := range []struct {
		choice away.GoneChoice
		lost   bool
	}{{away.ChooseSame, false}, {away.ChooseLeave, false}, {away.ChooseSame, true}, {away.ChooseLeave, true}} {
		t.Run(fmt.Sprintf("%s, an answer was lost %t", c.choice, c.lost), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{kinds: [2]memory.Kind{memory.ClassKind(memory.Kind{Times: true}, connectors.ClassA), {}}})
				defer w.close()
				w.put(record.Left, 1, map[string]string{"name": "Ada"})
				w.rest()
				if c.lost {
					w.put(record.Right, 2, map[string]string{"name": "Bea"})
					w.sys[record.Left].Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Ambiguous})
					w.run(engine.Options{Yes: true})
				}
				w.must(w.store.Pause(t.Context(), record.Pause{Scope: record.PauseAll, By: "anna", Since: time.Now()}))
				w.edit(record.Left, 1, "name", "Eda") // seen, and not settled: it is known when it was made
				w.run(engine.Options{Yes: true})
				_, err := w.store.Resume(t.Context(), "", "")
				w.must(err)
				was, _ := w.find(record.Left, 1)
				w.tick(time.Hour)
				w.sys[record.Left].Remove(kinds[record.Left], was.Ref.ID)
				w.sys[record.Left].PutAs(kinds[record.Left], was.Ref.ID, was.Fields)
				w.put(record.Right, 2, map[string]string{"name": "Bea"})
				before := w.mutations()
				for range 2 {
					if _, err := w.try(engine.Options{Yes: true}); !errors.Is(err, engine.ErrHalted) || w.mutations() != before {
						t.Fatalf("got %v and %d writes, want a halt and none", err, w.mutations()-before)
					}
					_, err := w.store.AnswerHalts(t.Context(), job, record.Accepted, "anna") // that they were removed is not so
					w.must(err)
				}
				w.answer(away.AskForeign, c.choice)
				for range 2 {
					w.tick(time.Minute)
					_, err = w.try(engine.Options{Yes: true})
				}
				if _, made := w.find(record.Left, 2); err != nil || !made {
					t.Errorf("after a person's word: %v, made %t", err, made)
				}
				if c, ok := w.question(); ok {
					t.Errorf("asked: %v", c)
				}
				if halts, err := w.store.Halts(context.Background(), job); err != nil || len(halts) > 0 {
					t.Errorf("it stands before %v, %v", halts, err)
				}
			})
		})
	}
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}
