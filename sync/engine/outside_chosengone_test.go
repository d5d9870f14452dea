package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/merge"
	"nightporter/sync/plan/away"
	"nightporter/sync/plan/guard"
	"nightporter/sync/record"
)

// unshownLoss is a world whose lists show what changed, and so not that a record was removed.
// What is left without a partner is deleted, or put aside.
func unshownLoss(policy away.GonePolicy) setting {
	s := setting{policies: map[string]merge.Policy{"name": merge.Person, "note": merge.Person, "mail": merge.Person}}
	for _, side := range record.Sides {
		s.kinds[side] = memory.Kind{Delete: true, Times: true, Since: true}
		s.gone[side] = engine.GoneRule{Policy: policy, Archive: record.Fields{spell(side, "mail"): record.OfText("put aside")}}
	}
	return s
}

// whole has enough time pass for whole lists to be read, and for what they do not show to be
// read by id.
func (w *world) whole() {
	w.Helper()
	for range 3 {
		w.tick(25 * time.Hour)
		w.run(engine.Options{Yes: true})
	}
}

// removesAtFirst has a record removed just before the first request of a run of which the
// name begins so.
func (w *world) removesAtFirst(step string, side record.Side, n int) {
	done := false
	w.eng.Step = func(name string) {
		if !done && strings.HasPrefix(name, step) {
			done = true
			w.remove(side, n)
		}
	}
}

// A person chooses what stands in a field that both sides edited. One of the records is removed
// before that is written, or just then. The one that is left was edited: it is neither deleted
// nor put aside before a person says so, however often the link is looked at.
func TestOutsideChosenForARecordThatIsGone(t *testing.T) {
	for _, policy := range []away.GonePolicy{away.GoneDelete, away.GoneArchive} {
		for _, said := range []string{"value", "left", "right", string(record.ChoiceLeave)} {
			for _, gone := range record.Sides {
				for _, when := range []string{"before the run", "before get", "before send"} {
					t.Run(fmt.Sprintf("%s, %s chosen, %s gone, %s", policy, said, gone, when), func(t *testing.T) {
						synctest.Test(t, func(t *testing.T) {
							w := inStepPeople(t, unshownLoss(policy), 3)
							defer w.close()
							w.edit(record.Left, 0, "note", "the left's")
							w.edit(record.Right, 0, "note", "the right's")
							w.rest()
							var value record.Value
							if said == "value" {
								value = record.OfText("typed")
							}
							w.must(w.store.Choose(t.Context(), w.heldOn("note").ID, record.Choice(said), value, time.Now()))
							if when == "before the run" {
								w.remove(gone, 0)
							} else {
								w.removesAtFirst(when, gone, 0)
							}
							w.run(engine.Options{Yes: true})
							if w.eng.Step = nil; when != "before the run" && said == string(record.ChoiceLeave) {
								w.remove(gone, 0) // nothing is sent
							}
							w.run(engine.Options{Yes: true})
							w.whole()
							w.run(engine.Options{Yes: true, Full: true})
							if _, there := w.find(gone.Other(), 0); !there || w.value(gone.Other(), 0, "mail") == "put aside" {
								t.Fatalf("what a person said of is taken away unasked:\n%s", w.both())
							}
							w.answer(away.AskEdited, away.ChooseCarry)
							w.whole()
							if _, there := w.find(gone.Other(), 0); there && w.value(gone.Other(), 0, "mail") != "put aside" {
								t.Errorf("a person said that it is to go, and it is there:\n%s", w.both())
							}
							if open := w.open(); len(open) > 0 {
								t.Errorf("still asked: %v", open)
							}
						})
					})
				}
			}
		}
	}
}

// What a person chose reached both records. One of them is removed after that: nobody has edited
// the other since, and the rule is carried out.
func TestOutsideChosenAndSettledGoes(t *testing.T) {
	for _, said := range []string{"value", "left", "right"} {
		for _, gone := range record.Sides {
			t.Run(fmt.Sprintf("%s chosen, %s gone", said, gone), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := unshownLoss(away.GoneDelete)
					s.kinds[record.Left].Normalise = lossy(record.Left)
					w := inStepPeople(t, s, 3)
					defer w.close()
					w.edit(record.Left, 0, "note", "by the left")
					w.edit(record.Right, 0, "note", "of the right")
					w.rest()
					var value record.Value
					if said == "value" {
						value = record.OfText("Typed by a person")
					}
					w.must(w.store.Choose(t.Context(), w.heldOn("note").ID, record.Choice(said), value, time.Now()))
					w.run(engine.Options{Yes: true})
					w.remove(gone, 0)
					w.whole()
					if _, there := w.find(gone.Other(), 0); there {
						q, _ := w.question()
						t.Errorf("it stays, and nobody edited it since: %+v\n%s", q, w.both())
					}
				})
			})
		}
	}
}

// A person takes back what a run wrote, to a record whose partner is gone: what they put back
// was never in step with that one, and is not taken away unasked.
func TestOutsideUndoneForARecordThatIsGone(t *testing.T) {
	for _, gone := range record.Sides {
		synctest.Test(t, func(t *testing.T) {
			w := inStepPeople(t, unshownLoss(away.GoneDelete), 3)
			defer w.close()
			w.edit(gone, 0, "note", "bad")
			bad := w.run(engine.Options{Yes: true}).Run
			w.remove(gone, 0)
			w.undo(bad)
			w.whole()
			if got := w.value(gone.Other(), 0, "note"); got != "old" {
				t.Fatalf("%s gone: got %q: what a person put back is taken away unasked:\n%s", gone, got, w.both())
			}
			w.asked(away.AskEdited)
		})
	}
}

// A person says no to a change. What the record across is to get back is not written once the
// record that it comes from is gone, and neither is taken away unasked.
func TestOutsideRejectedForARecordThatIsGone(t *testing.T) {
	for _, gone := range record.Sides {
		synctest.Test(t, func(t *testing.T) {
			s := unshownLoss(away.GoneDelete)
			s.guards.Updates = guard.Limit{Run: guard.Amount{Count: 1}}
			w := inStepPeople(t, s, 3)
			defer w.close()
			for n := range 2 {
				w.edit(gone.Other(), n, "note", "edited")
			}
			w.run(engine.Options{})
			w.say(w.staged()[0].Set, record.Refusal)
			w.remove(gone, 0)
			for range 2 {
				w.run(engine.Options{})
			}
			if got := w.value(gone.Other(), 1, "note"); got != "old" {
				t.Errorf("%s gone: beside what was rejected stands %q still", gone, got)
			}
			w.whole()
			if got := w.value(gone.Other(), 0, "note"); got != "edited" {
				t.Fatalf("%s gone: got %q in place of what was edited there:\n%s", gone, got, w.both())
			}
			w.asked(away.AskEdited)
		})
	}
}
