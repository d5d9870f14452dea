package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// afterUpdates has something done a while after the answer to each update of the right.
func (w *world) afterUpdates(d time.Duration, do func()) {
	w.sys[record.Right].Hook(memory.Hooks{Step: func(step string) {
		if step == "after update people" {
			time.AfterFunc(d, do)
		}
	}})
}

// An update empties what it is not sent a little after it was answered: the read right after it shows
// nothing of that. A trial is over once its system has settled, and until then no other update is sent.
func TestOutside06EmptiedAfterTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := replacing(t, memory.Kind{})
		defer w.close()
		w.is(record.Right, memory.Kind{Tried: true})
		before := w.sys[record.Right].Counts().Mutations
		w.afterUpdates(1500*time.Millisecond, func() {
			nothing := record.Fields{"their_remark": record.Nothing()}
			for _, f := range []string{"name", "mail", "phone"} {
				nothing[spell(record.Right, f)] = record.Nothing()
			}
			w.sys[record.Right].Edit(kinds[record.Right], w.trial(record.Update).Ref.ID, nothing)
		})
		for n := range 5 {
			w.edit(record.Left, n, "note", "late arrival")
		}
		for range 3 {
			w.run(engine.Options{Yes: true})
			w.tick(settle / 3)
		}
		w.rest()
		w.unharmed("at rest")
		if got := w.sys[record.Right].Counts().Mutations - before; got != 2 {
			t.Errorf("%d writes, want the trial and what put it back", got)
		}
		if tr := w.trial(record.Update); tr.State != record.TrialStopped || len(tr.Left) != 0 || len(w.halted("trial")) != 1 {
			t.Errorf("the trial is %s, left %v", tr.State, tr.Left)
		}
	})
}

// A system that has settled by the time of the read is not waited for.
func TestOutside06AQuickSystemIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{settle: time.Millisecond, kinds: [2]memory.Kind{record.Right: {Tried: true}}, policies: map[string]merge.Policy{"name": merge.LeftWins, "note": merge.LeftWins, "mail": merge.LeftWins}})
		defer w.close()
		for n := range 3 {
			for _, side := range record.Sides {
				w.put(side, n, map[string]string{"name": "Ada", "mail": "ada@example.com"})
			}
		}
		w.rest()
		for n := range 3 {
			w.edit(record.Left, n, "note", "late arrival")
		}
		if rep := w.run(engine.Options{Yes: true}); rep.Counts["right.updated"] != 3 {
			t.Errorf("%d are updated", rep.Counts["right.updated"])
		}
	})
}
