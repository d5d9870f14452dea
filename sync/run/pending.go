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

// TellRoom alerts about the room of a booking, unless that is what the desk was told last.
func (r *Run) TellRoom(ctx context.Context, entry int64, text string) error {
	const kind = "booking_oversold"
	last, err := r.store.LastAlert(ctx, r.Job.Binding, entry, kind)
	if err != nil || last == text {
		return err
	}
	return r.Alert(ctx, entry, kind, text)
}

// TellStands tells the desk that a booking stands although there was no room for it.
func (r *Run) TellStands(ctx context.Context, e record.Entry, what, why string) error {
	return r.TellRoom(ctx, e.Num, fmt.Sprintf("%s of %s %s. It stands, because %s: look whether its guest must be called",
		e.Ref, r.Side(r.Job.Booking.Authority).System, what, why))
}

// TellFree tells the desk that a booking stands which was to give way: there is room for it again.
func (r *Run) TellFree(ctx context.Context, e record.Entry) error {
	return r.TellStands(ctx, e, "was to give way", "its room is free again")
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
