package engine

import (
	"context"

	"nightporter/sync/plan"
	"nightporter/sync/run"
)

// sureFor makes sure of both systems (see trust.Sure), if a draft is to be carried out and changes anything.
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

// allKept reports whether none of the actions would be sent now. If so, no system is asked anything: a change that
// waits for its hour, or that would reach somebody who is never written to, costs no request before it may be sent.
func (r *Room) allKept(ctx context.Context, actions []plan.Action) (bool, error) {
	for _, a := range actions {
		if h, err := r.guards.PlanHold(ctx, a.Side, a.Change); err != nil || h.Why == "" {
			return false, err
		}
	}
	return true, nil
}
