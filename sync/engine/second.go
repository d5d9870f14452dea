package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"nightporter/sync/record"
	"nightporter/sync/run"
)

// secondPlan plans anew what the first plan could not know, and carries it out: records that a create met, and
// records that can't be looked up one by one after all, for which the list is read. The same guards hold, and they
// count what the first plan created.
func (r *Room) secondPlan(ctx context.Context) ([]run.ToRead, error) {
	r.observe.Strays = false
	r.forgetUnfound()
	if _, err := r.readStrays(ctx); err != nil {
		return nil, err
	}
	d, err := r.planAnew(ctx)
	if err == nil {
		d, err = r.scanAgain(ctx, d)
	}
	if err != nil {
		return nil, err
	}
	again, err := r.send(ctx, d, whole)
	if err != nil {
		return nil, fmt.Errorf("plan anew after the first plan was carried out: %w", err)
	}
	return again, nil
}

// forgetUnfound takes back the notes on records that could not be proven to be new: the plan that follows has
// another way to know.
func (r *Room) forgetUnfound() {
	refs := map[record.Ref]bool{}
	for _, a := range r.Report.Actions {
		if r.proof.Unfound[a.From] != nil && a.Change.Op == record.Create {
			refs[a.Source] = true
			r.Count("unproven", -1)
		}
	}
	r.Report.Notes = slices.DeleteFunc(r.Report.Notes, func(n run.Note) bool { return n.State == record.Waiting && refs[n.Ref] })
	clear(r.proof.Unfound)
	maps.DeleteFunc(r.Found.Fresh, func(k record.For, _ record.Finding) bool { return k.Name == record.FindUnproven })
}

// planAnew plans once more in the same run. Earlier notes stay, and what both plans note stands there once. A list
// that was read since the first plan may show what an unanswered create made: such records are held back.
func (r *Room) planAnew(ctx context.Context) (*run.Draft, error) {
	if err := r.match.DoubtAll(ctx); err != nil {
		return nil, err
	}
	before := len(r.Report.Notes)
	d, err := r.decide.Plan(ctx)
	seen := make(map[run.Note]bool, len(r.Report.Notes))
	kept := r.Report.Notes[:0:0]
	for i, n := range r.Report.Notes {
		if i < before || !seen[n] {
			kept = append(kept, n)
		}
		seen[n] = true
	}
	r.Report.Notes = kept
	return d, err
}
