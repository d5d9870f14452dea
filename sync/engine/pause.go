package engine

import (
	"context"
	"fmt"
	"time"

	"nightporter/sync/record"
)

// paused says why nothing may be written to a side just now, "" if it may. It is asked
// before each write, so that a pause holds from the next one on and ends by itself.
func (r *run) paused(ctx context.Context, side record.Side) (string, error) {
	pauses, err := r.Store.Paused(ctx, time.Now())
	if err != nil {
		return "", fmt.Errorf("look for a pause of %s: %w", r.job.Binding, err)
	}
	for _, p := range pauses {
		if !p.Stops(r.job.Binding, r.side(side).System) {
			continue
		}
		why := fmt.Sprintf("writes to %s are paused", r.side(side).System)
		if !p.Until.IsZero() {
			why += " until " + p.Until.In(r.zone()).Format("2006-01-02 15:04")
		}
		if p.Why != "" {
			why += ": " + p.Why
		}
		return why, nil
	}
	return "", nil
}

// zone is the job's time zone, UTC where it has none.
func (r *run) zone() *time.Location {
	if r.job.Zone == nil {
		return time.UTC
	}
	return r.job.Zone
}
