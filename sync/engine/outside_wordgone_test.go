package engine_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// answered is a world with one question about a record that a person has answered, so that the next run writes.
type answered struct {
	name string
	make func(*testing.T) (*world, int64)
}

// chosen gives the only open question an answer.
func (w *world) chosen(choice record.Choice, v record.Value) int64 {
	w.Helper()
	qs, err := w.store.Questions(context.Background(), job, true)
	if err != nil || len(qs) != 1 {
		w.Fatalf("got %+v, %v, want one question", qs, err)
	}
	w.must(w.store.Choose(context.Background(), qs[0].ID, choice, v, time.Now()))
	return qs[0].ID
}

var answers = []answered{
	{"of a field", func(t *testing.T) (*world, int64) {
		w := newWorld(t, setting{policies: byPersons})
		w.put(record.Left, 0, map[string]string{"name": "a"})
		w.put(record.Left, 1, map[string]string{"name": "other"})
		w.rest()
		w.edit(record.Left, 0, "name", "left")
		w.edit(record.Right, 0, "name", "right")
		w.rest()
		return w, w.chosen(record.ChoiceLeft, record.Value{})
	}},
	{"that the other one goes, too", func(t *testing.T) (*world, int64) {
		w := newWorld(t, setting{kinds: deletes, gone: both(away.GoneHold)})
		for n := range 4 {
			w.put(record.Left, n, map[string]string{"name": fmt.Sprint("name ", n)})
		}
		w.rest()
		w.remove(record.Left, 0)
		w.wholeRuns()
		return w, w.chosen(record.ChoiceValue, record.OfText(string(away.ChooseCarry)))
	}},
	{"that it is none of them", func(t *testing.T) (*world, int64) {
		w := newWorld(t, setting{})
		w.put(record.Left, 0, map[string]string{"name": "one"})
		for _, name := range []string{"two", "three"} {
			w.sys[record.Right].Put(kinds[record.Right], record.Fields{"their_phone": record.OfText(phoneOf(0)), "their_name": record.OfText(name)})
		}
		w.wholeRuns()
		return w, w.only(record.Left)
	}},
}

// only answers the question about the record of one side with that it is none of those it may be.
func (w *world) only(side record.Side) int64 {
	w.Helper()
	qs, err := w.store.Questions(context.Background(), job, true)
	if err != nil {
		w.Fatal(err)
	}
	for _, q := range qs {
		e, err := w.store.Entries(context.Background(), []int64{q.Entry})
		if err != nil {
			w.Fatal(err)
		}
		if e[q.Entry].Place.Side == side {
			w.must(w.store.Choose(context.Background(), q.ID, record.ChoiceValue, record.OfText("create"), time.Now()))
			return q.ID
		}
	}
	w.Fatalf("got %+v, want a question about the %s", qs, side)
	return 0
}

// A person takes an answer back while a run is about to do what it says. Whichever is first wins, at any moment of the
// run: either the answer is taken back and nothing is sent, or it is too late and the person is told so.
func TestOutsideAnAnswerTakenBackIsNotCarriedOut(t *testing.T) {
	for _, a := range answers {
		t.Run(a.name, func(t *testing.T) {
			back, late := 0, 0
			for at := 1; ; at++ {
				ended := false
				synctest.Test(t, func(t *testing.T) {
					w, id := a.make(t)
					defer w.close()
					before, steps := w.mutations(), 0
					var said error
					step := func(name string) {
						if steps++; steps == at {
							w.tick(10 * time.Millisecond)
							said = w.store.Choose(context.Background(), id, record.Undecided, record.Value{}, time.Now())
						}
					}
					w.eng.Step = step
					for _, s := range w.sys {
						s.Hook(memory.Hooks{Step: step})
					}
					w.run(engine.Options{Yes: true, Full: true})
					ended = steps < at
					w.eng.Step = nil
					for _, s := range w.sys {
						s.Hook(memory.Hooks{})
					}
					w.wholeRuns()
					n, sent := w.mutations()-before, record.SentError{}
					switch {
					case ended:
					case said == nil && n == 0:
						back++
					case errors.As(said, &sent) && n > 0 && sent.Run > 0:
						late++
					case said != nil && n > 0 && !errors.As(said, &sent): // the question is closed: all of it is done
					default:
						t.Errorf("taken back at step %d: got %v, and %d writes", at, said, n)
					}
				})
				if ended {
					break
				}
			}
			if back == 0 || late == 0 {
				t.Errorf("it was taken back %d times, and too late %d times: want both", back, late)
			}
		})
	}
}
