package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"nightporter/sync/record"
	"nightporter/sync/run"
)

// pull reads both sides and then, by id, what the lists could not tell.
func (r *Room) pull(ctx context.Context) error {
	if err := r.observe.ReadOwed(ctx); err != nil {
		return err
	}
	var failed error
	for _, side := range r.observe.StableFirst() {
		if r.Options.Skip[side] {
			continue
		}
		if err := r.observe.PullSide(ctx, side); err != nil {
			failed = errors.Join(failed, fmt.Errorf("read %s of %s: %w", r.Side(side).Kind, r.Side(side).System, err))
			if r.Job.Booking == nil || ctx.Err() != nil {
				break // a job of bookings reads the other side all the same: that may hold a booking that waits for an answer
			}
		}
	}
	if failed != nil {
		return failed
	}
	if err := r.observe.Examine(ctx); err != nil {
		return err
	}
	for _, side := range record.Sides {
		if r.Options.Skip[side] && !r.Side(side.Other()).Can.Immutable {
			continue
		}
		if err := r.readDue(ctx, side); err != nil {
			return fmt.Errorf("read single %s of %s: %w", r.Side(side).Kind, r.Side(side).System, err)
		}
		if err := r.settle.ReadGone(ctx, side); err != nil {
			return fmt.Errorf("read %s of %s that were gone: %w", r.Side(side).Kind, r.Side(side).System, err)
		}
	}
	return nil
}

// readDue reads by id the records that must be read: those that a complete list did not show, and those that were
// seen too early after a write to count.
func (r *Room) readDue(ctx context.Context, side record.Side) error {
	due, err := r.store.Due(ctx, r.Place(side), time.Now(), run.ReadsByID)
	if err != nil {
		return err
	}
	var awaited map[int64]bool
	if r.Options.Skip[side] && len(due) > 0 {
		if awaited, err = r.settle.Awaited(ctx, side); err != nil {
			return err
		}
	}
	failed := 0
	for _, e := range due {
		if r.Options.Skip[side] && !awaited[e.Num] {
			continue
		}
		if err := r.between(ctx); err != nil {
			return err
		}
		if r.observe.HasLeft(side, e) {
			if err := r.Judge(ctx, e, record.OutOfScope, "its days have left the window"); err != nil {
				return err
			}
			continue
		}
		err := r.observe.ReadEntry(ctx, side, e)
		if err := r.observe.PassOver(side, err, &failed); err != nil {
			return err
		}
		if err != nil {
			r.observe.UnreadNow[e.Num] = true
			r.NoteUnread(side, e.Ref, err)
		}
	}
	if !r.Options.Skip[side] {
		r.NoteClosed(side)
	}
	return nil
}
