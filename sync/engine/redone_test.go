package engine_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/plan"
	"nightporter/sync/plan/guard"
	"nightporter/sync/record"
)

// oneCancel has a person asked about two cancels at once, and lets one go.
var oneCancel = guard.Guards{Cancels: guard.Limit{Run: guard.Amount{Count: 1}}}

// rejectedCancels is a house where a person rejected two cancels of the left; it was put
// back, and seen to be.
func rejectedCancels(t *testing.T, s setting) *world {
	t.Helper()
	s.guards = oneCancel
	w := house(t, 5, s)
	w.set(record.Left, 0, 2, "note", "cancelled")
	w.run(engine.Options{})
	w.no(w.onlySet(plan.RiskCancel, 2))
	w.run(engine.Options{})
	w.tick(25 * time.Hour)
	w.run(engine.Options{})
	w.tick(25 * time.Hour)
	wantCount(t, "cancelled on the left after a no", w.have(record.Left, "note", "cancelled"), 0)
	return w
}

// no rejects a set for as long as reject does.
func (w *world) no(digest string) {
	w.Helper()
	until := time.Now().Add(30 * 24 * time.Hour)
	if _, err := w.store.DecideStage(context.Background(), digest, record.Refusal, "ada", until, time.Now()); err != nil {
		w.Fatal(err)
	}
}

// onlySet is the one set that nobody decided.
func (w *world) onlySet(risk plan.Risk, size int) string {
	w.Helper()
	digest := ""
	for _, st := range w.staged() {
		if st.Choice != record.Undecided {
			continue
		}
		if digest != "" || st.Risk != string(risk) || st.Size != size {
			w.Fatalf("staged: %+v, want one of %s with %d", st, risk, size)
		}
		digest = st.Set
	}
	if digest == "" {
		w.Fatalf("nothing is staged, want %s", risk)
	}
	return digest
}

// wantNote says who has a note on both sides.
func (w *world) wantNote(when, note string, left, right int) {
	w.Helper()
	if l, r := w.have(record.Left, "note", note), w.have(record.Right, "note", note); l != left || r != right {
		w.Errorf("%s: %d on the left and %d on the right are %s, want %d and %d", when, l, r, note, left, right)
	}
}

// What a person rejected, and what was put back, may be done anew: of that the no says
// nothing sure. A person is asked, once, and it is neither carried over nor taken back
// before they answer.
func TestF41_WhatIsDoneAgainAfterANoIsAskedAbout(t *testing.T) {
	for name, s := range map[string]setting{
		"answers": {}, "silent": {kinds: [2]memory.Kind{{Silent: true}, {Silent: true}}},
		"kept as digests": {sealed: filepath.Join(t.TempDir(), "key")},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := rejectedCancels(t, s)
				defer w.close()
				since, alerts := time.Now(), w.alerts("staged")
				w.set(record.Left, 0, 1, "note", "cancelled")
				w.set(record.Left, 0, 1, "name", "renamed")
				before := w.mutations()
				for range 2 {
					w.run(engine.Options{})
				}
				w.run(engine.Options{Yes: true}) // says nothing of what somebody would not have
				w.wantNote("before the answer", "cancelled", 1, 0)
				wantCount(t, "renamed on the right", w.have(record.Right, "name", "renamed"), 1)
				wantCount(t, "writes", w.mutations()-before, 1)
				wantCount(t, "alerts", w.alerts("staged")-alerts, 1)
				set := w.onlySet(plan.RiskRedone, 1)
				rows, err := w.store.StagedOf(t.Context(), set, 0)
				if want := "ada rejected it on " + since.Add(-50*time.Hour).UTC().Format(time.DateOnly); err != nil || !strings.Contains(rows[0].Text, want) {
					t.Errorf("got %v, %+v, want %q", err, rows, want)
				}
				w.say(set, record.Approved)
				w.run(engine.Options{})
				w.wantNote("after a yes", "cancelled", 1, 1)
			})
		})
	}
}

// A person who looked a while ago may reject what was made since, with a larger set. That
// is not put back by it, and their no counts on: with a no to taking it back, both sides
// stay as they are.
func TestF41_ANoToWhatWasMadeAlready(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		guards := oneCancel
		guards.Updates = guard.Limit{Run: guard.Amount{Count: 1}}
		w := house(t, 5, setting{guards: guards})
		defer w.close()
		w.set(record.Left, 0, 2, "note", "cancelled")
		w.run(engine.Options{})
		first := w.onlySet(plan.RiskCancel, 2)
		w.set(record.Left, 0, 3, "note", "cancelled")
		w.run(engine.Options{})
		w.say(w.onlySet(plan.RiskCancel, 3), record.Approved)
		w.run(engine.Options{})
		w.wantNote("after a yes", "cancelled", 3, 3)
		w.no(first)
		w.run(engine.Options{})
		w.wantNote("after a no to what was made", "cancelled", 3, 3)
		w.tick(25 * time.Hour)
		w.set(record.Right, 0, 2, "note", "confirmed")
		w.run(engine.Options{})
		w.no(w.onlySet(plan.RiskUpdate, 2))
		for range 2 {
			w.run(engine.Options{})
		}
		w.wantNote("after a no to both", "cancelled", 3, 1)
	})
}

// A second no has it put back again, and what is done once more is a new question.
func TestF41_EachNoIsForWhatWasDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := rejectedCancels(t, setting{})
		defer w.close()
		asked := map[string]bool{}
		for range 6 { // more than what swings, and is put back in vain
			w.set(record.Left, 0, 1, "note", "cancelled")
			w.run(engine.Options{})
			w.wantNote("before the answer", "cancelled", 1, 0)
			set := w.onlySet(plan.RiskRedone, 1)
			asked[set] = true
			w.no(set)
			w.run(engine.Options{})
			w.wantNote("after a no", "cancelled", 0, 0)
			w.tick(time.Hour)
			w.run(engine.Options{})
		}
		wantCount(t, "questions", len(asked), 6)
		wantCount(t, "told that it is in vain", w.alerts("put_back_in_vain"), 0)
		w.set(record.Left, 0, 1, "note", "cancelled")
		w.run(engine.Options{})
		w.say(w.onlySet(plan.RiskRedone, 1), record.Approved)
		w.run(engine.Options{})
		w.wantNote("after a yes", "cancelled", 1, 1)
		// The yes was the last word of it.
		w.tick(time.Hour)
		w.run(engine.Options{})
		w.set(record.Right, 0, 1, "note", "confirmed")
		w.run(engine.Options{})
		w.wantNote("taken back after a yes", "cancelled", 0, 0)
		w.tick(time.Hour)
		w.run(engine.Options{})
		w.set(record.Left, 0, 1, "note", "cancelled")
		w.run(engine.Options{})
		w.wantNote("anew after a yes", "cancelled", 1, 1)
	})
}

// Who would not answer is asked anew, also when the no does not count any more.
func TestF41_AQuestionOutlivesTheNo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := rejectedCancels(t, setting{})
		defer w.close()
		w.tick(26 * 24 * time.Hour)
		w.set(record.Left, 0, 1, "note", "cancelled")
		for range 8 {
			w.run(engine.Options{})
			w.wantNote("before the answer", "cancelled", 1, 0)
			w.onlySet(plan.RiskRedone, 1)
			w.tick(2 * 24 * time.Hour)
		}
	})
}

// What is taken back before the answer is no question any more.
func TestF41_WhatIsTakenBackIsNotAskedAbout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := rejectedCancels(t, setting{})
		defer w.close()
		for range 2 {
			w.set(record.Left, 0, 1, "note", "cancelled")
			w.run(engine.Options{})
			w.onlySet(plan.RiskRedone, 1)
			w.set(record.Left, 0, 1, "note", "confirmed")
			w.run(engine.Options{})
			for _, st := range w.staged() {
				if st.Choice == record.Undecided {
					t.Errorf("staged: %+v", st)
				}
			}
		}
	})
}

// What is done again before any read showed what was put back may be no new edit: a person is
// asked whether the write was done at all, and the plan says so too.
func TestF41_WhatIsDoneAgainBeforeAnyRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := house(t, 5, setting{guards: oneCancel})
		defer w.close()
		w.set(record.Left, 0, 2, "note", "cancelled")
		w.run(engine.Options{})
		w.no(w.onlySet(plan.RiskCancel, 2))
		w.run(engine.Options{})
		w.tick(time.Hour)
		w.set(record.Left, 0, 1, "note", "cancelled")
		rep := w.run(engine.Options{Dry: true})
		if len(rep.Staged) != 0 || rep.Counts["conflicts"] != 1 {
			t.Errorf("planned: %+v, %v", rep.Staged, rep.Counts)
		}
		w.run(engine.Options{})
		w.wantNote("before the answer", "cancelled", 1, 0)
		wantCount(t, "asked", len(w.untaken()), 1)
	})
}

// A run that puts back what a person rejected, and is killed at any step after that, leaves
// enough to tell what is done again from what was never taken back.
func TestF41_WhatIsDoneAgainAfterAKill(t *testing.T) {
	steps, settled := 1, 0
	for k := 1; k <= steps; k++ {
		synctest.Test(t, func(t *testing.T) {
			w := house(t, 2, setting{guards: oneCancel})
			defer w.close()
			w.set(record.Left, 0, 2, "note", "cancelled")
			w.run(engine.Options{})
			w.no(w.onlySet(plan.RiskCancel, 2))
			if n := w.killed(k, engine.Options{}); n >= k {
				steps = k + 1
			}
			open, err := w.store.Unsettled(t.Context(), job)
			if err != nil || len(open) > 0 || w.have(record.Left, "note", "cancelled") > 0 {
				return // it is not put back, or nobody knows
			}
			settled++
			w.tick(time.Hour)
			w.set(record.Left, 0, 1, "note", "cancelled")
			w.run(engine.Options{})
			w.wantNote("before the answer", "cancelled", 1, 0)
			wantCount(t, "asked", len(w.untaken()), 1)
		})
	}
	if settled < 2 {
		t.Errorf("%d of %d kills came after it was put back", settled, steps)
	}
}

// A system that answers nothing and shows the change when it is read first was never seen
// without it: nobody can tell that it did not ignore what was put back, and a person is asked.
func TestF41_WhatWasNeverSeenPutBackIsAskedAbout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := house(t, 5, setting{guards: oneCancel, kinds: [2]memory.Kind{{Silent: true}, {Silent: true}}})
		defer w.close()
		w.set(record.Left, 0, 2, "note", "cancelled")
		w.run(engine.Options{})
		w.no(w.onlySet(plan.RiskCancel, 2))
		w.run(engine.Options{}) // it is put back
		before := w.sys[record.Left].Counts().Mutations
		for range 5 {
			w.set(record.Left, 0, 1, "note", "cancelled")
			w.tick(time.Hour)
			w.run(engine.Options{})
		}
		w.wantNote("before an answer", "cancelled", 1, 0)
		wantCount(t, "writes", w.sys[record.Left].Counts().Mutations-before, 0)
		wantCount(t, "asked whether it was done", len(w.untaken()), 1)
		wantCount(t, "asked about", w.alerts("staged"), 1)
		// Both rest as they are by now: what is edited goes on.
		w.set(record.Left, 0, 1, "note", "confirmed")
		w.run(engine.Options{})
		w.tick(time.Hour)
		w.set(record.Left, 0, 1, "note", "cancelled")
		w.run(engine.Options{})
		w.wantNote("before the answer", "cancelled", 1, 0)
		w.onlySet(plan.RiskRedone, 1)
	})
}

// A cancel that comes while the run is on its way that puts the first one back is a new
// one as well.
func TestF41_WhatIsDoneAgainInTheSameRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := house(t, 5, setting{guards: oneCancel})
		defer w.close()
		w.set(record.Left, 0, 2, "note", "cancelled")
		w.run(engine.Options{})
		w.no(w.onlySet(plan.RiskCancel, 2))
		done := false
		w.run(engine.Options{Kicked: func() (kicks []engine.Kick) {
			if !done && w.have(record.Left, "note", "cancelled") == 1 { // the first one was just put back
				done = true
				w.set(record.Left, 0, 2, "note", "cancelled")
				w.tick(time.Minute) // until a read of it is no late one any more
				for i := range 2 {
					kicks = append(kicks, engine.Kick{Side: record.Left, Ref: w.ref(record.Left, i)})
				}
			}
			return kicks
		}})
		w.wantNote("before the answer", "cancelled", 1, 0)
		w.run(engine.Options{})
		w.wantNote("asked", "cancelled", 1, 0)
		wantCount(t, "asked", len(w.untaken()), 1)
	})
}
