package engine

import (
	"context"
	"fmt"
	"time"

	"nightporter/sync/record"
	"nightporter/sync/run"
)

// tellUndecided tells the desk about bookings that are not entered because nobody can read what decides about them.
func (r *Room) tellUndecided(ctx context.Context) error {
	side := r.Job.Booking.Authority.Other()
	for _, f := range r.Found.Fresh {
		if f.Name != record.FindUndecided || f.Place.Side != side {
			continue
		}
		what := fmt.Sprintf("can't be entered as it is: its %s can't be read: %s", f.About, f.Text)
		if err := r.TellOnce(ctx, side, record.Entry{Num: f.Entry, Ref: f.Ref}, what); err != nil {
			return err
		}
	}
	return nil
}

// watchAnswers tells the desk about bookings that can't be entered as they are, and about those that nobody has
// entered or refused within the promised time.
func (r *Room) watchAnswers(ctx context.Context) error {
	b := r.Job.Booking
	if b == nil {
		return nil
	}
	if err := r.tellUndecided(ctx); err != nil || b.AnswerWithin <= 0 {
		return err
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
