package engine

import (
	"context"
	"errors"

	"nightporter/sync/run"
)

// askAtLeast does so where a run ends before it has planned anything: a create that may be
// sent again is what it would have written first.
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
