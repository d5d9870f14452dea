package engine

import (
	"context"
	"fmt"
	"time"

	"nightporter/sync/record"
)

// held reports whether nothing may be written to a side now: it asked to be left
// alone, it is an hour at which it is to be, or somebody paused it. It is asked
// before each write, so that a pause holds from the next one on and ends by itself.
func (r *run) held(ctx context.Context, side record.Side) (bool, error) {
	if r.stopped[side] != "" {
		return true, nil
	}
	why, err := r.whyHeld(ctx, side)
	if err != nil {
		return true, err
	}
	if why != "" && !r.holding[side] {
		r.holding[side] = true
		r.note(side, record.Ref{Kind: r.side(side).Kind}, record.Waiting, fmt.Sprintf(
			"nothing is written to %s now: %s", r.side(side).System, why))
	}
	return why != "", nil
}

// whyHeld says why nothing may be written to a side now, "" when it may.
func (r *run) whyHeld(ctx context.Context, side record.Side) (string, error) {
	why, err := r.paused(ctx, side)
	if why == "" && err == nil && r.opt.Hold != nil {
		why = r.opt.Hold(side)
	}
	return why, err
}

// paused says why somebody wants nothing to be written to a side, "" if nobody does.
func (r *run) paused(ctx context.Context, side record.Side) (string, error) {
	pauses, err := r.Store.Paused(ctx, time.Now())
	if err != nil {
		return "", fmt.Errorf("look for a pause of %s: %w", r.job.Binding, err)
	}
	for _, p := range pauses {
		if !p.Stops(r.job.Binding, r.side(side).System) {
			continue
		}
		why := "it is paused"
		if !p.Until.IsZero() {
			why += " until " + record.Moment(p.Until, r.zone())
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
