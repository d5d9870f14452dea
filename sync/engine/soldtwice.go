package engine

import (
	"context"
	"time"
)

// askAgain asks once more, at the end of a run, for the rooms of bookings that were entered lately.
func (r *Room) askAgain(ctx context.Context) error {
	b := r.Job.Booking
	if b == nil || !b.Asks {
		return nil
	}
	if err := r.letSell(ctx); err != nil {
		return err
	}
	since, err := r.door.AskFrom(ctx)
	if err != nil {
		return err
	}
	made, err := r.store.Created(ctx, r.Place(b.Authority), since)
	if err != nil {
		return err
	}
	for _, in := range made {
		if err := r.door.AskAgain(ctx, in.Link, in.Change.Fields); err != nil {
			return err
		}
	}
	return nil
}

// letSell waits until askAfter has passed since the last booking was entered: for so long the desk may be about to
// sell the same room. What can't wait is done meanwhile. If that enters another booking, it is waited for as well,
// up to sellMost in all.
func (r *Room) letSell(ctx context.Context) error {
	for begun, last := time.Now(), (time.Time{}); r.door.Entered != last && time.Since(begun) < sellMost; {
		last = r.door.Entered
		step := askAfter
		if r.Options.Kicked != nil {
			step = sellLook
		}
		for left := time.Until(last.Add(askAfter)); left > 0; left -= step {
			if err := r.LetPass(ctx, min(left, step)); err != nil {
				return err
			}
			if err := r.between(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}
