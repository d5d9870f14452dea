package engine_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/state"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// putBack is a store that was put back to an older copy, and another job that is needed
// to tell records apart.
type putBack struct {
	*state.Store
	since time.Time
	other bool // the other job has caught up
}

func (p *putBack) AdoptOnly(_ context.Context, b record.Binding) (time.Time, bool, error) {
	return p.since, b == job || !p.other, nil
}

// What was planned while the guests of bookings were not told apart yet is not created,
// even when they are by the time that it would be sent: it may well be on the other side.
func TestCreatePlannedBeforeOthersAreComparedWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, setting{})
		defer w.close()
		w.tick(time.Second)
		store := &putBack{Store: w.store, since: time.Now()}
		w.eng.Stores = storesOf(t, store)
		w.eng.Jobs[job].References = []engine.Reference{{Field: "guest", Binding: "others"}}
		w.run(engine.Options{Yes: true}) // both lists are read whole, twice, so that none is wanted again
		w.tick(time.Minute)
		w.put(record.Left, 1, map[string]string{"name": "Ada"})
		w.run(engine.Options{Yes: true})
		o := engine.Options{Yes: true, Seen: true, After: true, Hold: func(record.Side) string { // asked right before the write
			store.other = true
			return ""
		}}
		rep := w.run(o)
		if got := len(w.picture(record.Right)); got != 0 || !store.other || rep.Counts["unproven"] != 1 {
			t.Errorf("created: got %d (%v), want none and one that waits", got, rep.Counts)
		}
		w.run(o)
		if got := len(w.picture(record.Right)); got != 1 {
			t.Errorf("created by the next run: got %d, want 1", got)
		}
	})
}
