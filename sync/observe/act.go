package observe

import (
	"context"

	"nightporter/sync/record"
)

// Refresh reads one record again and stores what that showed.
func (r *Room) Refresh(ctx context.Context, side record.Side, ref record.Ref) error {
	e, ok, err := r.store.Entry(ctx, r.Place(side), ref)
	if err != nil || !ok {
		return err
	}
	return r.IfBarred(side, ref, r.ReadEntry(ctx, side, e))
}
