package guards

import (
	"context"

	"nightporter/sync/plan"
	"nightporter/sync/run"
)

// MayTell reports whether a side may be told now that a booking is refused. The change passes the guards like a
// plan: if a system suddenly answers no to every booking, that is stopped before every guest is turned away. A
// change that a person rejected is neither sent nor asked about again.
func (r *Room) MayTell(ctx context.Context, tell plan.Action) (bool, error) {
	if err := r.NeedBook(ctx); err != nil || r.RejectedTell(tell) {
		return false, err
	}
	free, err := r.Withhold(ctx, &run.Draft{}, []plan.Action{tell})
	return len(free) > 0, err
}
