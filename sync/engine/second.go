package engine

import (
	"context"
	"fmt"
	"slices"

	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// secondPlan plans anew what the first plan could not know, and does it: records
// that a create met, and those that can't be looked up one by one after all, for
// which the list is read. It passes the same guards, which count what the first plan
// created.
func (r *run) secondPlan(ctx context.Context) ([]toRead, error) {
	r.strays = false
	notes := r.rep.Notes
	d, err := r.plan(ctx)
	if err == nil && !r.opt.Seen {
		d, err = r.scanAgain(ctx, d)
	}
	for _, n := range r.rep.Notes {
		if !slices.Contains(notes, n) {
			notes = append(notes, n)
		}
	}
	r.rep.Notes = notes
	if err != nil {
		return nil, err
	}
	actions := d.actions()
	if err := r.guard(ctx, d, slices.Concat(actions, r.createdBefore(actions))); err != nil {
		return nil, fmt.Errorf("plan anew after the first plan was carried out: %w", err)
	}
	return r.do(ctx, d, actions)
}

// createdBefore is the creates of the first plan that are not to be done again.
func (r *run) createdBefore(actions []plan.Action) []plan.Action {
	again := map[int64]bool{}
	for _, a := range actions {
		again[a.From] = again[a.From] || a.Change.Op == record.Create
	}
	return slices.DeleteFunc(slices.Clone(r.rep.Actions), func(a plan.Action) bool {
		return a.Change.Op != record.Create || again[a.From]
	})
}
