package run

import (
	"context"
	"fmt"
	"time"

	"nightporter/sync/record"
)

// TellOnce alerts, once, about a booking that waits for somebody.
func (r *Run) TellOnce(ctx context.Context, side record.Side, e record.Entry, what string) error {
	const kind = "booking_waiting"
	told, err := r.store.Alerted(ctx, r.Job.Binding, e.Num, kind)
	if err != nil || told {
		return err
	}
	r.Count("unanswered", 1)
	return r.Alert(ctx, e.Num, kind, fmt.Sprintf("%s of %s %s", e.Ref, r.Side(side).System, what))
}

// LetPass lets d pass, or less if ctx is done.
func (r *Run) LetPass(ctx context.Context, d time.Duration) error {
	if r.Pause != nil {
		return r.Pause(ctx, d)
	}
	return wait(ctx, d)
}

// wait sleeps until d has passed or ctx is done.
func wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
