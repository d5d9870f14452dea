package engine

import (
	"context"
	"errors"

	"nightporter/sync/plan"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// targeted runs a job for named records only.
func (r *Room) targeted(ctx context.Context) error {
	if err := r.links.LoadWords(ctx); err != nil {
		return err
	}
	var kicks []run.Kick
	for _, ref := range r.Options.Only {
		kicks = append(kicks, run.Kick{Side: r.Options.OnlySide, Ref: ref})
	}
	for _, key := range r.Options.Find {
		kicks = append(kicks, run.Kick{Side: r.Options.OnlySide, Key: key})
	}
	if err := r.take(ctx, kicks, nil); err != nil {
		return err
	}
	if len(r.failures) > 0 && !r.Options.Patient {
		return errors.Join(r.failures...)
	}
	r.Report.Digest = plan.DigestOf(r.Report.Actions)
	return r.finish(ctx)
}

// one decides a single record that was read, and carries it over.
func (r *Room) one(ctx context.Context, side record.Side, ref record.Ref) error {
	d := &run.Draft{}
	if err := r.planOne(ctx, d, side, ref); err != nil {
		return err
	}
	// A caller who became known a moment ago may be a guest by now. If a list costs no requests of anybody's quota,
	// it is read at once. If it is being read right now, this record is decided after it.
	if to := side.Other(); d.Missing[to] > 0 && r.Side(to).Can.FindAny {
		if r.Listing[to] {
			r.later = append(r.later, run.ToRead{Side: side, Ref: ref})
			return nil
		}
		if err := r.observe.PullWhole(ctx, to); err != nil {
			return err
		}
		d = &run.Draft{}
		if err := r.planOne(ctx, d, side, ref); err != nil {
			return err
		}
	}
	actions := d.Actions()
	r.Report.Actions = append(r.Report.Actions, actions...)
	r.decide.Describe(d)
	again, err := r.send(ctx, d, part)
	if err != nil || r.Options.Dry {
		return err
	}
	if err := r.guards.NoteApproved(ctx, d, actions); err != nil {
		return err
	}
	return r.conclude(ctx, d, again)
}

// planOne decides one record, linked or not.
func (r *Room) planOne(ctx context.Context, d *run.Draft, side record.Side, ref record.Ref) error {
	if err := r.settle.LoadUnknown(ctx); err != nil {
		return err
	}
	if err := r.guards.OpenBook(ctx); err != nil {
		return err
	}
	pair, ok, err := r.store.PairOf(ctx, r.Place(side), ref)
	if err != nil {
		return err
	}
	if ok {
		if pair.State == record.LinkUnsure {
			return nil
		}
		return r.decide.PlanPair(ctx, d, pair)
	}
	if d.Facts.Links, err = r.store.LinkCount(ctx, r.Job.Binding); err != nil {
		return err
	}
	e, ok, err := r.store.Entry(ctx, r.Place(side), ref)
	if err != nil || !ok {
		return err
	}
	// A record that is asked for by name is looked at even if it was left out before.
	if err := r.store.Touch(ctx, r.Lease, []int64{e.Num}); err != nil {
		return err
	}
	return r.decide.PlanStrangersOnly(ctx, d, &run.ToRead{Side: side, Ref: ref})
}

// finish does what comes last in a run: it asks once more for the rooms of new bookings, tells the desk what waits
// for too long or failed, and ends the doubt about a state that was put back.
func (r *Room) finish(ctx context.Context) error {
	if r.Options.Dry {
		return nil
	}
	return errors.Join(r.match.EndPutBack(ctx), r.askAgain(ctx), r.watchAnswers(ctx), r.settle.TellFailed(ctx))
}
