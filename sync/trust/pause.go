package trust

import (
	"context"
	"fmt"
	"time"

	"nightporter/sync/record"
)

// Held reports whether nothing may be written to a side now: this run has stopped writing there, as
// where the system asked to be left alone; the configuration forbids it at this hour; or somebody paused
// it. It is called before each write, so that a pause counts from the next write on and ends by itself.
func (r *Room) Held(ctx context.Context, side record.Side) (bool, error) {
	if r.findings.Stopped[side] != "" {
		return true, nil
	}
	why, err := r.WhyHeld(ctx, side)
	if err != nil {
		return true, err
	}
	if why != "" && !r.holding[side] {
		r.holding[side] = true
		r.Note(side, record.Ref{Kind: r.Side(side).Kind}, record.Waiting, fmt.Sprintf(
			"nothing is written to %s now: %s", r.Side(side).System, why))
	}
	return why != "", nil
}

// WhyHeld says why nothing may be written to a side now, "" when it may.
func (r *Room) WhyHeld(ctx context.Context, side record.Side) (string, error) {
	why, err := r.paused(ctx, side)
	if why == "" && err == nil && r.Options.Hold != nil {
		why = r.Options.Hold(side)
	}
	return why, err
}

// paused says why somebody wants nothing to be written to a side, "" if nobody does.
func (r *Room) paused(ctx context.Context, side record.Side) (string, error) {
	pauses, err := r.store.Paused(ctx, time.Now())
	if err != nil {
		return "", fmt.Errorf("look for a pause of %s: %w", r.Job.Binding, err)
	}
	for _, p := range pauses {
		if !p.Stops(r.Job.Binding, r.Side(side).System) {
			continue
		}
		why := "it is paused"
		if !p.Until.IsZero() {
			why += " until " + record.Moment(p.Until, r.Zone())
		}
		if p.Why != "" {
			why += ": " + p.Why
		}
		return why, nil
	}
	return "", nil
}
