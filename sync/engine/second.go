package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"nightporter/sync/record"
)

// secondPlan plans anew what the first plan could not know, and does it: records
// that a create met, and those that can't be looked up one by one after all, for
// which the list is read. It passes the same guards, which count what the first plan
// created.
func (r *run) secondPlan(ctx context.Context) ([]toRead, error) {
	r.strays = false
	r.forgetUnfound()
	d, err := r.planAnew(ctx)
	if err == nil && !r.opt.Seen {
		d, err = r.scanAgain(ctx, d)
	}
	if err != nil {
		return nil, err
	}
	actions := d.actions()
	if err := r.guard(ctx, d, actions); err != nil {
		return nil, fmt.Errorf("plan anew after the first plan was carried out: %w", err)
	}
	free, err := r.withhold(ctx, d, actions)
	if err != nil {
		return nil, err
	}
	return r.do(ctx, d, free)
}

// forgetUnfound takes back what was noted of records of which nobody could know that they are new:
// the plan that follows has another way to know.
func (r *run) forgetUnfound() {
	refs := map[record.Ref]bool{}
	for _, a := range r.rep.Actions {
		if r.unfound[a.From] != nil && a.Change.Op == record.Create {
			refs[a.Source] = true
			r.count("unproven", -1)
		}
	}
	r.rep.Notes = slices.DeleteFunc(r.rep.Notes, func(n Note) bool { return n.State == record.Waiting && refs[n.Ref] })
	clear(r.unfound)
	maps.DeleteFunc(r.found.fresh, func(k record.For, _ record.Finding) bool { return k.Name == record.FindUnproven })
}

// planAnew plans once more in a run. What was noted before stays, and what both plans
// note stands there once. A list that was read since the first plan may show what a create
// made of which no answer came.
func (r *run) planAnew(ctx context.Context) (*draft, error) {
	if err := r.doubtAll(ctx); err != nil {
		return nil, err
	}
	before := len(r.rep.Notes)
	d, err := r.plan(ctx)
	seen := make(map[Note]bool, len(r.rep.Notes))
	kept := r.rep.Notes[:0:0]
	for i, n := range r.rep.Notes {
		if i < before || !seen[n] {
			kept = append(kept, n)
		}
		seen[n] = true
	}
	r.rep.Notes = kept
	return d, err
}
