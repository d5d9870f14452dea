package observe

import (
	"context"

	"nightporter/sync/record"
)

// EndedOn is the last lists of a side, of this run and of others.
func (r *Room) EndedOn(ctx context.Context, side record.Side) ([]record.EndedScan, error) {
	if r.ended[side] == nil {
		scans, err := r.store.Ended(ctx, r.Place(side), 8)
		if err != nil {
			return nil, err
		}
		r.ended[side] = append(scans, record.EndedScan{}) // never nil: it was asked
	}
	return r.ended[side], nil
}
