package engine

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// recheckAtOnce is how many records are read one by one before what a person approved is
// written; of more the whole list is read.
const recheckAtOnce = 200

// recheck reads the records again that approved changes come from: between the question
// and the answer somebody may have taken back what made the change.
func (r *run) recheck(ctx context.Context) error {
	if r.opt.Plan == nil {
		return nil
	}
	if err := r.openBook(ctx); err != nil {
		return err
	}
	var from [2]map[record.Ref]bool
	for action, x := range r.book.approved {
		if !r.opt.Plan[action] {
			continue
		}
		side := x.stage.Side.Other()
		ref, ok, err := r.sourceOf(ctx, side, x.row)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if from[side] == nil {
			from[side] = map[record.Ref]bool{}
		}
		from[side][ref] = true
	}
	for _, side := range record.Sides {
		if err := r.readAgain(ctx, side, from[side]); err != nil {
			return fmt.Errorf("read %s of %s again: %w", r.side(side).Kind, r.side(side).System, err)
		}
	}
	return nil
}

// sourceOf is the record that a staged change comes from.
func (r *run) sourceOf(ctx context.Context, side record.Side, x record.Staged) (record.Ref, bool, error) {
	if x.Entry != 0 {
		return x.Ref, true, nil
	}
	pair, ok, err := r.Store.PairOf(ctx, r.place(side.Other()), x.Ref)
	return pair.Sides[side].Ref, ok, err
}

func (r *run) readAgain(ctx context.Context, side record.Side, refs map[record.Ref]bool) error {
	_, can := r.side(side).Conn.(connectors.Getter)
	if len(refs) > recheckAtOnce || len(refs) > 0 && (!can || !r.side(side).Can.Get) {
		return r.pullSide(ctx, side)
	}
	left := false
	for _, ref := range slices.SortedFunc(maps.Keys(refs), func(a, b record.Ref) int { return cmp.Compare(a.ID, b.ID) }) {
		if _, err := r.readFirst(ctx, side, ref); err != nil {
			return err
		}
		e, ok, err := r.Store.Entry(ctx, r.place(side), ref)
		if err != nil {
			return err
		}
		left = left || ok && aside(e.State)
	}
	if left { // what is gone may have been entered anew since, and only a list shows that
		return r.pullSide(ctx, side)
	}
	return nil
}
