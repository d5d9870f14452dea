package engine

import (
	"context"
	"errors"

	"nightporter/sync/run"
)

// askAtLeast is gone.AskOfStrangers for a run that is halted before it has planned anything, while it settles what
// was open: a create that may be sent again would have been its first write.
func (r *Room) askAtLeast(ctx context.Context, cause error) error {
	if !errors.Is(cause, run.ErrHalted) {
		return cause
	}
	d, err := r.decide.PlanLinked(ctx)
	if err != nil {
		return errors.Join(cause, err)
	}
	return r.gone.AskOfStrangers(ctx, d, cause)
}
