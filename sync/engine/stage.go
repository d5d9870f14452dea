package engine

import (
	"context"

	"nightporter/sync/plan"
	"nightporter/sync/run"
)

// concludeStages notes, after a plan was carried out, what became of what persons said.
func (r *Room) concludeStages(ctx context.Context, d *run.Draft, planned []plan.Action) error {
	if err := r.guards.NoteApproved(ctx, d, planned); err != nil {
		return err
	}
	return r.guards.AgreeMapping(ctx, d)
}
