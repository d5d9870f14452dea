package engine

import (
	"context"

	"nightporter/sync/plan"
	"nightporter/sync/run"
)

// sureFor is sure where a draft is to be carried out and changes anything.
func (r *Room) sureFor(ctx context.Context, d *run.Draft, actions []plan.Action) error {
	if r.Options.Dry || len(actions)+len(d.Joins) == 0 {
		return nil
	}
	if len(d.Joins) == 0 {
		if idle, err := r.allKept(ctx, actions); err != nil || idle {
			return err
		}
	}
	return r.trust.Sure(ctx)
}

// allKept reports whether none of the actions would be sent now: what is wanted at night,
// or by nobody who may have it, costs no request before its hour.
func (r *Room) allKept(ctx context.Context, actions []plan.Action) (bool, error) {
	for _, a := range actions {
		if h, err := r.guards.PlanHold(ctx, a.Side, a.Change); err != nil || h.Why == "" {
			return false, err
		}
	}
	return true, nil
}
