package engine

import (
	"context"
	"slices"

	"nightporter/sync/plan"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// settleWithoutWrite makes the links of records that are the same, and has bases take over what both sides agree
// on. It returns the new links that something is still written to, by entity.
func (r *Room) settleWithoutWrite(ctx context.Context, d *run.Draft, actions []plan.Action) (map[string]record.LinkID, error) {
	wanted := map[string]bool{}
	for _, a := range actions {
		wanted[a.Entity] = true
	}
	linked := map[string]record.LinkID{}
	for _, pairs := range [][]run.Decided{d.Joins, d.Pairs} {
		for some := range slices.Chunk(pairs, run.Slice) {
			some, err := r.decide.Again(ctx, some, wanted)
			if err != nil {
				return nil, err
			}
			err = r.store.Together(ctx, func(ctx context.Context) error { return r.decide.KeepPairs(ctx, some, linked) })
			if err != nil {
				return nil, err
			}
		}
	}
	return linked, nil
}
