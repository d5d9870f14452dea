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
	"nightporter/sync/plan"
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
		if err != nil || len(hs) != 1 || !strings.HasPrefix(hs[0].Next, "set update.mode: rewrite for ") || strings.Contains(hs[0].Next, "resume") {
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
	all, err := w.store.Questions(context.Background(), job, true)
	if err != nil {
		w.Fatal(err)
	}
	for _, c := range all {
		if c.Cause == "emptied" {
			n++
		}
	}
	return n
}

// What a trial that was not passed keeps back is said to be held by verify.
func TestOutside06VerifyTellsWhatATrialHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := replacing(t, memory.Kind{})
		defer w.close()
		for n := range 5 {
			w.edit(record.Left, n, "note", "late arrival")
		}
		w.rest()
		verified := func() map[plan.Cause]int {
			return w.run(engine.Options{Dry: true, Verify: true, Full: true, Yes: true}).Verified.Causes
		}
		if got := verified(); len(got) != 1 || got[plan.Held] != 4 {
			t.Errorf("verify names %v", got)
		}
		w.letGo()
		if got := verified(); got[plan.Held] != 0 {
			t.Errorf("once a person let them go on, verify names %v", got)
		}
	})
}

// Of what a user entered over a field that our first update had emptied nobody says that it is lost.
func TestOutside06WhatAUserEnteredSinceIsNotLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := replacing(t, memory.Kind{})
		defer w.close()
		first, _ := w.find(record.Right, 0)
		entered := false
		w.sys[record.Right].Hook(memory.Hooks{Step: func(step string) {
			if step == "after update people" && !entered {
				entered = true
				w.sys[record.Right].Edit(kinds[record.Right], first.Ref.ID, record.Fields{"their_mail": record.OfText("user@example.com")})
			}
		}})
		w.edit(record.Left, 0, "note", "late arrival")
		w.rest()
		for _, kind := range []string{"trial", "emptied"} {
			for _, text := range w.alertsOf(kind) {
				if strings.Contains(text, "enter it again") {
					t.Errorf("a person is told: %s", text)
				}
			}
		}
		if texts := w.halted(record.HaltTrial); len(texts) != 1 || strings.Contains(texts[0], "enter it again") || !strings.Contains(texts[0], "a person is asked") {
			t.Errorf("what is said: %v", texts)
		}
		if tr := w.trial(record.Update); len(tr.Left) > 0 {
			t.Errorf("as lost are kept %v", tr.Left)
		}
		if got := w.right(0, "their_mail"); got != "user@example.com" || w.value(record.Left, 0, "mail") != "ada@example.com" || !w.hasHeard("their_mail") {
			t.Errorf("the right has %s, the left %s", got, w.value(record.Left, 0, "mail"))
		}
	})
}
