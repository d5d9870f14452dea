package observe

import (
	"context"

	"nightporter/sync/record"
)

// Refresh reads a known record once more by its id and stores what the read shows. A record that may not be read is
// only noted: see IfBarred.
func (r *Room) Refresh(ctx context.Context, side record.Side, ref record.Ref) error {
	e, ok, err := r.store.Entry(ctx, r.Place(side), ref)
	if err != nil || !ok {
		return err
	}
	return r.IfBarred(side, ref, r.ReadEntry(ctx, side, e))
}
