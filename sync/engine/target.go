package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"nightporter/connectors"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// targeted runs for named records only.
func (r *run) targeted(ctx context.Context) error {
	if err := r.loadRefusals(ctx); err != nil {
		return err
	}
	for _, ref := range r.opt.Only {
		if err := r.one(ctx, r.opt.OnlySide, ref); err != nil {
			return fmt.Errorf("%s: %w", ref, err)
		}
	}
	r.rep.Digest = plan.DigestOf(r.rep.Actions)
	return r.finish(ctx)
}

// one takes a single record first: read, pair, plan, apply.
func (r *run) one(ctx context.Context, side record.Side, ref record.Ref) error {
	found, err := r.readRef(ctx, side, ref)
	if aside := []connectors.ErrorClass{
		connectors.NotFound, connectors.OutOfScope, connectors.Rejected, connectors.Malformed, connectors.Moved,
	}; slices.Contains(aside, connectors.ClassOf(err)) { // it is put aside for what it is
		return r.refresh(ctx, side, ref)
	}
	if err != nil {
		return r.ifBarred(side, ref, err)
	}
	if !found {
		return nil
	}
	d := &draft{}
	if err := r.planOne(ctx, d, side, ref); err != nil {
		return err
	}
	// A caller who became known a moment ago may be a guest since then. Where a list
	// costs no requests of anybody's quota it is read at once; but not in the middle
	// of another list.
	if to := side.Other(); d.missing[to] > 0 && r.side(to).Can.FindAny && !r.kicking {
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
	if r.opt.Dry {
		return nil
	}
	again, err := r.do(ctx, d, actions)
	for i := 0; err == nil && len(again) > 0 && i < rounds; i++ {
		again, err = r.replan(ctx, again)
	}
	return err
}

// planOne decides one record, linked or not.
func (r *run) planOne(ctx context.Context, d *draft, side record.Side, ref record.Ref) error {
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
	return errors.Join(r.endPutBack(ctx), r.askAgain(ctx), r.watchAnswers(ctx))
}
