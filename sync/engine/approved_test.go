package engine_test

import (
	"context"
	"testing"
	"testing/synctest"

	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// after calls f once, when a run has made so many changes.
func after(n int, f func()) func(engine.Progress) {
	return func(p engine.Progress) {
		if p.Phase == "apply" && p.Done == n {
			f()
		}
	}
}

// A run makes what waited, since somebody looked at its plan, and somebody else approves
// the set meanwhile: it is done, and no run names it as dropped.
func TestF41_ApprovedWhileItIsMade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := house(t, 40, setting{guards: tenCancels})
		defer w.close()
		w.set(record.Right, 0, 12, "note", "cancelled")
		w.run(engine.Options{})
		set := w.staged()[0].Digest
		w.run(engine.Options{Yes: true, Progress: after(4, func() { w.say(set, record.Approved) })})
		wantCount(t, "cancelled on the left", w.have(record.Left, "note", "cancelled"), 12)
		wantCount(t, "sets that wait", len(w.staged()), 0)
		rep := w.run(engine.Options{})
		wantCount(t, "dropped", dropped(rep), 0)
	})
}

// What a run made of an approved set before it was broken off is done.
func TestF41_ApprovedAndBrokenOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := house(t, 40, setting{guards: tenCancels})
		defer w.close()
		w.set(record.Right, 0, 12, "note", "cancelled")
		w.run(engine.Options{})
		w.say(w.staged()[0].Digest, record.Approved)
		ctx, stop := context.WithCancel(context.Background())
		if _, err := w.eng.Run(ctx, job, engine.Options{Progress: after(5, stop)}); err == nil {
			t.Fatal("the run was not broken off")
		}
		wantCount(t, "cancelled on the left", w.have(record.Left, "note", "cancelled"), 5)
		if st := w.staged(); len(st) != 1 || st[0].Left != 7 {
			t.Errorf("staged: %+v", st)
		}
		rep := w.run(engine.Options{})
		wantCount(t, "cancelled on the left", w.have(record.Left, "note", "cancelled"), 12)
		wantCount(t, "dropped", dropped(rep), 0)
	})
}
