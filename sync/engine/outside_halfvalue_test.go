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

// shows checks what a record holds.
func (w *world) shows(side record.Side, n int, field, want string) {
	w.Helper()
	if got := w.value(side, n, field); got != want {
		w.Errorf("%s of %d on the %s is %q, want %q", field, n, side, got, want)
	}
}
