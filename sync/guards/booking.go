package guards

import (
	"context"

	"nightporter/sync/plan"
	"nightporter/sync/run"
)

// MayTell reports whether a no may be sent now: a question that has come to be answered
// with no whatever it is about must not turn every guest away. What a person rejected is
// neither sent nor asked about again.
func (r *Room) MayTell(ctx context.Context, tell plan.Action) (bool, error) {
	if err := r.NeedBook(ctx); err != nil || r.RejectedTell(tell) {
		return false, err
	}
	free, err := r.Withhold(ctx, &run.Draft{}, []plan.Action{tell})
	return len(free) > 0, err
}
