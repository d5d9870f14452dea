package engine_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"nightporter/connectors/memory"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// How late a system lists what we create is measured, and it is given three times that
// from then on, where this is more than it was configured to need.
func TestF26_SettleFollowsLag(t *testing.T) {
	for _, tt := range []struct {
		lag, most, settle time.Duration
	}{
		{0, 0, settle},
		{25 * time.Second, 30 * time.Second, 90 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, setting{kinds: [2]memory.Kind{{}, {ListLag: tt.lag}}})
			defer w.close()
			w.put(record.Left, 1, map[string]string{"name": "Anna"})
			w.run(engine.Options{Yes: true})
			w.run(engine.Options{Yes: true})
			for range 6 {
				w.tick(10 * time.Second)
				w.run(engine.Options{Yes: true})
			}
			got, err := w.store.Lag(context.Background(), record.Place{Binding: job, Side: record.Right}, time.Now())
			if err != nil || got.Measured != 1 || got.Most > tt.most || got.Most < tt.lag {
				t.Errorf("lag %s: got %+v, %v", tt.lag, got, err)
			}
			if s := got.Settle(settle); s > tt.settle || s < settle || tt.lag > 0 && s < 3*tt.lag {
				t.Errorf("lag %s: settle is %s", tt.lag, s)
			}
			// An update of ours is held for as long: the list that lags shows what it replaced.
			w.edit(record.Left, 1, "name", "Berta")
			w.run(engine.Options{Yes: true})
			w.tick(15 * time.Second) // later than what was configured
			w.run(engine.Options{Yes: true})
			for _, side := range record.Sides {
				if v := w.value(side, 1, "name"); v != "Berta" {
					t.Errorf("lag %s: the %s has name %q, want what was written last", tt.lag, side, v)
				}
			}
		})
	}
}
