package engine_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// A person gave a value, and it reached one side alone. A user then changes it there, perhaps back to what stood there
// before. The value of the other side is the one that the person decided against: it is not written over the user's.
func TestOutsideAGivenValueThatIsPutBackOnTheOneSideThatGotIt(t *testing.T) {
	for _, got := range record.Sides {
		for _, now := range []string{"Hanna", "Johanna"} {
			for _, wait := range []time.Duration{0, time.Minute} {
				t.Run(fmt.Sprintf("the %s got it, and now holds %s after %s", got, now, wait), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						w := newWorld(t, setting{policies: byPersons})
						defer w.close()
						w.put(record.Left, 1, map[string]string{"name": "Anna"})
						w.rest()
						w.tick(time.Hour)
						w.edit(got, 1, "name", "Hanna")
						w.edit(got.Other(), 1, "name", "Anne")
						w.run(engine.Options{Yes: true})
						w.chosen(record.ChoiceValue, record.OfText("Annika"))
						w.sys[got.Other()].Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Transient, Times: 100})
						_, _ = w.try(engine.Options{Yes: true})
						w.sys[got.Other()].Heal()
						w.shows(got, 1, "name", "Annika")
						w.tick(wait)
						w.edit(got, 1, "name", now)
						for range 4 {
							w.run(engine.Options{Yes: true, Full: true})
							w.tick(time.Minute)
						}
						w.shows(got, 1, "name", now)
						if now == "Hanna" && wait == 0 { // such a read may be late, and what the person gave goes on
							w.shows(got.Other(), 1, "name", "Annika")
						} else {
							w.shows(got.Other(), 1, "name", "Anne")
						}
						qs, err := w.store.Questions(context.Background(), job, true)
						if err != nil || len(qs) != 1 || qs[0].Choice != "" {
							t.Errorf("got %+v, %v, want one question without an answer", qs, err)
						}
					})
				})
			}
		}
	}
}

// A person answered, and one side could not be written. Before it can, a user edits a record. No rule brings across what
// the person decided against, no edit is written over by anything but the value that the person chose, and as long as
// the two differ, the question is open.
func TestOutsideAnAnswerThatAnEditOvertook(t *testing.T) {
	for _, take := range []record.Choice{record.ChoiceLeft, record.ChoiceRight, record.ChoiceValue} {
		for _, blocked := range record.Sides {
			for _, edits := range record.Sides {
				for _, now := range []string{"Anna", "Anne", "Hanna", "Annika", "Johanna", ""} {
					for _, wait := range []int{0, 3} {
						t.Run(fmt.Sprintf("%s, the %s is blocked, the %s becomes %q after %d runs", take, blocked, edits, now, wait), func(t *testing.T) {
							synctest.Test(t, func(t *testing.T) { answerOvertaken(t, take, blocked, edits, now, wait) })
						})
					}
				}
			}
		}
	}
}

func answerOvertaken(t *testing.T, take record.Choice, blocked, edits record.Side, now string, wait int) {
	w := newWorld(t, setting{policies: byPersons})
	defer w.close()
	w.put(record.Left, 1, map[string]string{"name": "Anna"})
	w.rest()
	w.tick(time.Hour)
	asked := [2]string{"Anne", "Hanna"}
	for _, side := range record.Sides {
		w.edit(side, 1, "name", asked[side])
	}
	w.run(engine.Options{Yes: true})
	chosen, value := map[record.Choice]string{record.ChoiceLeft: "Anne", record.ChoiceRight: "Hanna", record.ChoiceValue: "Annika"}[take], record.Value{}
	if take == record.ChoiceValue {
		value = record.OfText(chosen)
	}
	w.chosen(take, value)
	w.sys[blocked].Inject(memory.Fault{Call: memory.CallApply, Class: connectors.Transient, Times: 100})
	for range 1 + wait {
		_, _ = w.try(engine.Options{Yes: true})
		w.tick(time.Minute)
	}
	over := w.value(record.Left, 1, "name") == w.value(record.Right, 1, "name") // both sides have it
	had := w.value(edits, 1, "name") == chosen                                  // and somebody takes it back
	w.edit(edits, 1, "name", now)
	w.sys[blocked].Heal()
	for range 4 {
		w.run(engine.Options{Yes: true, Full: true})
		w.tick(time.Minute)
	}
	left, right := w.value(record.Left, 1, "name"), w.value(record.Right, 1, "name")
	qs, err := w.store.Questions(t.Context(), job, true)
	if err != nil {
		t.Fatal(err)
	}
	open := len(qs) == 1 && qs[0].Choice == ""
	switch is := [2]string{left, right}; {
	case over && left == now && right == now: // an edit after the answer was carried out
	case left != right && !open:
		t.Errorf("the left has %q and the right %q, and nobody is asked", left, right)
	case had && is[edits] != now:
		t.Errorf("what was chosen is written again to the %s, where it was taken back: %q", edits, is[edits])
	case is[edits] != now && is[edits] != chosen:
		t.Errorf("what was edited on the %s is %q, neither %q nor what was chosen", edits, is[edits], now)
	case left == right && left != chosen && now != asked[edits.Other()] && now != chosen:
		t.Errorf("both sides have %q, which nobody chose", left)
	}
}

// shows checks what a record holds.
func (w *world) shows(side record.Side, n int, field, want string) {
	w.Helper()
	if got := w.value(side, n, field); got != want {
		w.Errorf("%s of %d on the %s is %q, want %q", field, n, side, got, want)
	}
}
