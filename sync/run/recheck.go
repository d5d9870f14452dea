package run

import (
	"context"

	"nightporter/sync/record"
)

// SourceOf returns the record of a side that a staged change comes from; false if there is none any more.
func (r *Run) SourceOf(ctx context.Context, side record.Side, x record.Staged) (record.Ref, bool, error) {
	if x.Entry != 0 {
		return x.Ref, true, nil
	}
	pair, ok, err := r.store.PairOf(ctx, r.Place(side.Other()), x.Ref)
	return pair.Sides[side].Ref, ok, err
}
