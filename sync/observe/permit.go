package observe

import (
	"context"

	"nightporter/sync/record"
)

// EndedOn returns the last full lists of a side that were read to their end, by this run or others, and an empty
// one after them.
func (r *Room) EndedOn(ctx context.Context, side record.Side) ([]record.EndedScan, error) {
	if r.ended[side] == nil {
		scans, err := r.store.Ended(ctx, r.Place(side), 8)
		if err != nil {
			return nil, err
		}
		r.ended[side] = append(scans, record.EndedScan{}) // the empty one says that the store was asked, whatever it has
	}
	return r.ended[side], nil
}
