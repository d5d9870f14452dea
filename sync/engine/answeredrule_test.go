package engine_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// The only linked record of a side is gone, and a person is asked. Another one is linked before they
// answer, so that the rule decides by itself: what they say goes before the rule.
func TestAnAnswerGoesBeforeTheRule(t *testing.T) {
	for _, rule := range []away.GonePolicy{away.GoneIgnore, away.GoneUnlink, away.GoneDelete, away.GoneHold} {
		for choice, want := range map[away.GoneChoice]string{away.ChooseCarry: "", away.ChooseLeave: "r", away.ChooseAnew: "lr"} {
			t.Run(fmt.Sprintf("%s, %s", rule, choice), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t, setting{kinds: [2]memory.Kind{{}, {Delete: true}}, gone: both(rule)})
					defer w.close()
					w.put(record.Left, 0, map[string]string{"name": "zero"})
					w.rest()
					w.tick(time.Hour)
					w.remove(record.Left, 0)
					w.run(engine.Options{Yes: true, Full: true})
					w.tick(time.Hour)
					w.run(engine.Options{Yes: true, Full: true})
					w.put(record.Left, 1, map[string]string{"name": "one"})
					w.run(engine.Options{Yes: true})
					w.answer(away.AskAlone, choice)
					for range 4 {
						w.tick(time.Hour)
						w.run(engine.Options{Yes: true, Full: true})
					}
					if got := w.has(0); got != want {
						t.Errorf("it is held by %q, want %q", got, want)
					}
					if n := w.questions(); n > 0 {
						t.Errorf("%d questions are open", n)
					}
				})
			})
		}
	}
}
