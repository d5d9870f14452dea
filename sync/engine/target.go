package engine

import (
	"context"
	"errors"

	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// targeted runs for named records only.
func (r *run) targeted(ctx context.Context) error {
	if err := r.loadWords(ctx); err != nil {
		return err
	}
	var kicks []Kick
	for _, ref := range r.opt.Only {
		kicks = append(kicks, Kick{Side: r.opt.OnlySide, Ref: ref})
	}
	for _, key := range r.opt.Find {
		kicks = append(kicks, Kick{Side: r.opt.OnlySide, Key: key})
	}
	if err := r.take(ctx, kicks, nil); err != nil {
		return err
	}
	if len(r.failures) > 0 && !r.opt.Patient {
		return errors.Join(r.failures...)
	}
	r.rep.Digest = plan.DigestOf(r.rep.Actions)
	return r.finish(ctx)
}

// one decides a single record that was read, and carries it over.
func (r *run) one(ctx context.Context, side record.Side, ref record.Ref) error {
	d := &draft{}
	if err := r.planOne(ctx, d, side, ref); err != nil {
		return err
	}
	// A caller who became known a moment ago may be a guest since then. Where a list
	// costs no requests of anybody's quota it is read at once; where it is being read
	// this record is decided after it.
	if to := side.Other(); d.missing[to] > 0 && r.side(to).Can.FindAny {
		if r.listing[to] {
			r.later = append(r.later, toRead{side: side, ref: ref})
			return nil
		}
		if err := r.pullWhole(ctx, to); err != nil {
			return err
		}
		d = &draft{}
		if err := r.planOne(ctx, d, side, ref); err != nil {
			return err
		}
	}
	actions := d.actions()
	r.rep.Actions = append(r.rep.Actions, actions...)
	r.describe(d)
	if err := r.sureFor(ctx, d, actions); err != nil {
		return err
	}
	free, err := r.withhold(ctx, d, actions)
	if err != nil || r.opt.Dry {
		return err
	}
	again, err := r.do(ctx, d, free)
	if err == nil {
		err = r.noteApproved(ctx, d, actions)
	}
	for i := 0; err == nil && len(again) > 0 && i < rounds; i++ {
		again, err = r.replan(ctx, again)
	}
	if err != nil {
		return err
	}
	r.judged(d)
	return r.letGo(ctx, d)
}

// planOne decides one record, linked or not.
func (r *run) planOne(ctx context.Context, d *draft, side record.Side, ref record.Ref) error {
	if err := r.loadUnknown(ctx); err != nil {
		return err
	}
	if err := r.openBook(ctx); err != nil {
		return err
	}
	pair, ok, err := r.Store.PairOf(ctx, r.place(side), ref)
	if err != nil {
		return err
	}
	if ok {
		if pair.State == record.LinkUnsure {
			return nil
		}
		return r.planPair(ctx, d, pair)
	}
	if d.facts.Links, err = r.Store.LinkCount(ctx, r.job.Binding); err != nil {
		return err
	}
	e, ok, err := r.Store.Entry(ctx, r.place(side), ref)
	if err != nil || !ok {
		return err
	}
	// Asked for by name, it is looked at even if it was left out before.
	if err := r.Store.Touch(ctx, r.lease, []int64{e.Num}); err != nil {
		return err
	}
	return r.planStrangersOnly(ctx, d, &toRead{side: side, ref: ref})
}

// finish asks again what must be asked at the end, and concludes what it can.
func (r *run) finish(ctx context.Context) error {
	if r.opt.Dry {
		return nil
	}
	return errors.Join(r.endPutBack(ctx), r.askAgain(ctx), r.watchAnswers(ctx), r.tellFailed(ctx))
}
