package engine_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// letGo has a person let updates go on that empty what they are not sent.
func (w *world) letGo() {
	w.Helper()
	if _, err := w.store.AnswerHalts(context.Background(), job, record.Accepted, "test", record.HaltTrial); err != nil {
		w.Fatal(err)
	}
}

// What is said of a trial that was not passed never has updates empty records.
func TestOutside06TheNextStepIsTheKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := replacing(t, memory.Kind{})
		defer w.close()
		w.edit(record.Left, 0, "note", "late arrival")
		w.run(engine.Options{Yes: true})
		hs, err := w.store.Halts(context.Background(), job)
		if err != nil || len(hs) != 1 || !strings.HasPrefix(hs[0].Resume, "set update.mode: rewrite for ") || strings.Contains(hs[0].Resume, "resume") {
			t.Errorf("what stands: %+v, %v", hs, err)
		}
	})
}

// Once a person let updates empty records, nothing of what they emptied travels: a person is asked. The
// first run after the answer sends what waited.
func TestOutside06LetGoEmptiesNothingAcross(t *testing.T) {
	for _, policy := range []merge.Policy{merge.LeftWins, merge.RightWins, merge.Newest, merge.Person} {
		for _, lost := range []bool{false, true} {
			t.Run(string(policy)+map[bool]string{true: ", answer lost"}[lost], func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t, setting{
						kinds:    [2]memory.Kind{record.Right: {Tried: true, Replaces: true}},
						policies: map[string]merge.Policy{"name": policy, "note": policy, "mail": policy},
					})
					defer w.close()
					for n := range 5 {
						for _, side := range record.Sides {
							w.put(side, n, map[string]string{"name": "Ada", "mail": "ada@example.com", "note": "quiet room"})
						}
					}
					w.rest()
					for n := range 3 {
						w.edit(record.Left, n, "note", "late arrival")
					}
					w.run(engine.Options{Yes: true})
					w.tick(settle + time.Second)
					w.letGo()
					if lost {
						w.sys[record.Right].Inject(memory.Fault{Call: memory.CallApply, Op: record.Update, Class: connectors.Ambiguous, Applied: true, Times: 1})
					}
					before := w.sys[record.Right].Counts().Mutations
					rep, _ := w.try(engine.Options{Yes: true})
					if got := w.sys[record.Right].Counts().Mutations - before; !lost && got != 2 {
						t.Errorf("the first run after the answer sent %d updates: %v", got, rep.Notes)
					}
					for range 6 {
						_, _ = w.try(engine.Options{Yes: true})
						w.tick(settle + time.Second)
					}
					w.rest()
					for n := range 5 {
						if got := w.value(record.Left, n, "name") + " " + w.value(record.Left, n, "mail"); got != "Ada ada@example.com" {
							t.Errorf("what our own update emptied travelled: guest %d of the left has %q", n, got)
						}
					}
					if asked := w.emptiedAsked(); asked == 0 {
						t.Error("nobody is asked about what was emptied")
					}

					// With the key all goes on, and what is open stays a question.
					w.setting.kinds[record.Right].Rewrites = true
					w.rewrites(record.Right)
					w.rest()
					for n := range 5 {
						if got := w.value(record.Left, n, "name") + " " + w.value(record.Left, n, "mail"); got != "Ada ada@example.com" {
							t.Errorf("with the key it travelled: guest %d of the left has %q", n, got)
						}
					}
				})
			})
		}
	}
}

// emptiedAsked is how many questions are open about what is empty on one side.
func (w *world) emptiedAsked() (n int) {
	w.Helper()
	all, err := w.store.Conflicts(context.Background(), job, true)
	if err != nil {
		w.Fatal(err)
	}
	for _, c := range all {
		if c.Policy == "emptied" {
			n++
		}
	}
	return n
}
