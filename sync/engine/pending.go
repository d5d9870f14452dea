package engine

import (
	"context"
	"time"

	"nightporter/sync/record"
	"nightporter/sync/run"
)

// watchAnswers tells the desk about bookings that nobody has entered or refused within the promised time.
func (r *Room) watchAnswers(ctx context.Context) error {
	b := r.Job.Booking
	if b == nil || b.AnswerWithin <= 0 {
		return nil
	}
	if err := r.settle.WatchPending(ctx); err != nil {
		return err
	}
	side := b.Authority.Other()
	late := time.Now().Add(-b.AnswerWithin)
	after := int64(0)
	for {
		es, err := r.store.Unlinked(ctx, r.Place(side), after, run.Batch)
		if err != nil || len(es) == 0 {
			return err
		}
		for _, e := range es {
			after = e.Num
			if e.Since.After(late) || e.State == record.Attached { // the desk is told of the record that stands for it
				continue
			}
			why := e.Why
			if why == "" {
				why = "it could not be entered yet"
			}
			if err := r.settle.TellLate(ctx, side, e, e.Since, why); err != nil {
				return err
			}
		}
	}
}
