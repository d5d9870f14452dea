package engine

import (
	"context"
	"fmt"
	"slices"

	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// sourceStands reports whether the record that a create is made from still is as it
// was when the create was decided. Neither a list of what changed nor one that is not
// whole tells that a record left, and one whose create had to wait may have left long
// ago: it is read by id. What a list of this run showed is known well enough.
func (r *run) sourceStands(ctx context.Context, a plan.Action) (bool, error) {
	from := a.Side.Other()
	if !r.pulled[from] || r.scanned[from] {
		return true, nil
	}
	e, ok, err := r.Store.Entry(ctx, r.place(from), a.Source)
	if err != nil || !ok || e.Seen == nil || !e.Seen.At.Before(r.now) {
		return true, err
	}
	was := e.Last()
	if err := r.refresh(ctx, from, a.Source); err != nil {
		return false, fmt.Errorf("look whether %s is still there: %w", a.Source, err)
	}
	if e, _, err = r.Store.Entry(ctx, r.place(from), a.Source); err != nil {
		return false, err
	}
	if slices.Contains([]record.EntryState{record.Gone, record.OutOfScope, record.Quarantined}, e.State) {
		return false, nil
	}
	if !e.Last().Equal(was) {
		r.strays = true // it is planned anew
		return false, nil
	}
	return true, nil
}
