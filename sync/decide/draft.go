package decide

import (
	"context"
	"fmt"

	"nightporter/sync/plan/guard"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// Plan decides everything that is to be looked at.
func (r *Room) Plan(ctx context.Context) (*run.Draft, error) {
	d, err := r.PlanLinked(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.planStrangers(ctx, d); err != nil {
		return nil, fmt.Errorf("plan unlinked %s: %w", r.Job.Binding, err)
	}
	return d, nil
}

// PlanLinked decides all links that are to be looked at.
func (r *Room) PlanLinked(ctx context.Context) (*run.Draft, error) {
	d := &run.Draft{Whole: true, Facts: guard.Facts{Systems: [2]record.System{r.Side(record.Left).System, r.Side(record.Right).System}}}
	var err error
	if d.Facts.Links, err = r.store.LinkCount(ctx, r.Job.Binding); err != nil {
		return nil, err
	}
	if err := r.settle.LoadUnknown(ctx); err != nil {
		return nil, err
	}
	if err := r.links.LoadWords(ctx); err != nil {
		return nil, err
	}
	r.match.BeginPlan()
	if err := r.guards.OpenBook(ctx); err != nil {
		return nil, err
	}
	if err := r.planLinks(ctx, d); err != nil {
		return nil, fmt.Errorf("plan linked %s: %w", r.Job.Binding, err)
	}
	return d, nil
}
