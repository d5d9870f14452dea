package engine_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors/memory"
	"nightporter/state"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// cutOff is a store that is killed once, around the moment in which a trial is kept as stopped.
type cutOff struct {
	*state.Store
	kept, cut bool // after it was kept; it happened
}

var errKilled = errors.New("killed")

func (c *cutOff) KeepTrial(ctx context.Context, l record.Lease, t record.Trial) error {
	if c.cut || t.State != record.TrialBack {
		return c.Store.KeepTrial(ctx, l, t)
	}
	c.cut = true
	if !c.kept {
		return errKilled
	}
	return errors.Join(c.Store.KeepTrial(ctx, l, t), errKilled)
}

// A run is killed when a trial that was not passed is over. A person is told all the same, and can answer:
// it stopped the updates for good, and nothing could be said to that.
func TestOutside06AStoppedTrialIsToldAfterAKill(t *testing.T) {
	for _, kept := range []bool{false, true} {
		t.Run(fmt.Sprintf("kept %t", kept), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := replacing(t, memory.Kind{})
				defer w.close()
				store := &cutOff{Store: w.store, kept: kept}
				w.eng.Stores = storesOf(t, store)
				w.edit(record.Left, 0, "note", "late arrival")
				for i := 0; i < 5 && !store.cut; i++ {
					_, _ = w.try(engine.Options{Yes: true})
					w.tick(settle)
				}
				if !store.cut {
					t.Fatal("no trial was stopped: nothing is tested")
				}
				w.tick(time.Hour) // the lease of the one that was killed is over
				for range 2 {
					w.run(engine.Options{Yes: true})
					w.tick(settle)
				}
				if got := w.halted("trial"); len(got) != 1 {
					t.Errorf("a person is told %q", got)
				}
				if got := w.trial(record.Update).State; got != record.TrialBack && got != record.TrialStopped {
					t.Errorf("the trial is %q", got)
				}
			})
		})
	}
}
