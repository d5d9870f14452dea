package histories

import (
	"context"
	"testing"
	"testing/synctest"

	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// noteOver notes that the end of a run was written down, as the state tells its durable
// steps.
func (o *oracle) noteOver(step string) { o.over = o.over || step == "after end run" }

// agrees reports whether nobody is asked about the first plan of a job after a run: a
// person let it go, or it had nothing to ask. One that died once its end was written down
// ended as it says there.
func (o *oracle) agrees(job int, err error, died bool) bool {
	switch {
	case o.w.opt.Yes:
		return true
	case o.w.opt.Dry, o.w.opt.Seen, err != nil:
		return false
	case !died:
		return true
	case !o.over:
		return false
	}
	runs, err := o.w.store.Runs(context.Background(), jobs[job], 1)
	o.w.must("read runs", err)
	return len(runs) == 1 && (runs[0].Outcome == record.Done || runs[0].Outcome == record.Waits)
}

// First runs die at each of their steps. Where there is nothing to ask the oracle knows
// when nobody is asked any more, and where there is something, that nobody has said yes.
func TestFirstRunsThatDie(t *testing.T) {
	for _, some := range []bool{false, true} {
		agreed := 0 // to the plans of runs that died
		for k := 2; ; k++ {
			died, yes := firstRun(t, some, k)
			if !died {
				break
			}
			if yes {
				agreed++
			}
		}
		if want := map[bool]int{false: 1}[some]; agreed != want { // the one that died behind its end
			t.Errorf("something to ask %t: after %d runs that died nobody is asked, want %d", some, agreed, want)
		}
	}
}

// firstRun is a first run that dies at a step, if it has so many. agreed says whether the
// oracle takes its plan for agreed to; the engine must say the same.
func firstRun(t *testing.T, some bool, k int) (died, agreed bool) {
	t.Helper()
	w, err := newWorld(history{seed: 1}, ramDir(t), template(t))
	if err != nil {
		t.Fatal(err)
	}
	defer w.disk.Close()
	synctest.Test(t, func(t *testing.T) {
		w.c = climate{sides: [2]weather{{class: "D"}, {class: "D"}}, askFirst: true}
		w.begin()
		w.must("open", w.open())
		if some {
			w.put(record.Left, step{})
		}
		w.killAt = k
		w.try(guests, engine.Options{})
		asks, err := w.eng.Unagreed(t.Context(), jobs[guests])
		w.must("look for a first run", err)
		w.must("close", w.close())
		died, agreed = w.lives > 0, w.agreed[guests]
		if asks == agreed || w.fault != "" {
			t.Errorf("something to ask %t, killed at step %d: it is asked: %t; the oracle says that it was agreed to: %t, %s", some, k, asks, agreed, w.fault)
		}
	})
	return died, agreed
}
