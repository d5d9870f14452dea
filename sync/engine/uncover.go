package engine

import (
	"context"
	"slices"

	"nightporter/sync/mapping"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// sourceWhole reports whether a create is made from all of a record. One that lists hide in
// part is read by id first; what that shows besides is planned anew.
func (r *run) sourceWhole(ctx context.Context, a plan.Action) (bool, error) {
	from := a.Side.Other()
	was, ok, err := r.Store.Entry(ctx, r.place(from), a.Source)
	if err != nil || !ok || !r.hidden(from, was) {
		return err == nil, err
	}
	if read, err := r.readFirst(ctx, from, a.Source); err != nil || !read {
		return false, err
	}
	now, _, err := r.Store.Entry(ctx, r.place(from), a.Source)
	if err != nil || now.State == was.State && now.Last().Equal(was.Last()) {
		return err == nil, err
	}
	r.strays = true
	return false, nil
}

// hidden reports whether reads have shown less of a record than is mapped, and a read by id
// may show more: what is made across from such a record would lack it for good.
func (r *run) hidden(side record.Side, e record.Entry) bool {
	if e.Seen == nil || e.Seen.View == "get" && r.ofThisRun(e.Seen.At) {
		return false
	}
	return slices.ContainsFunc(r.job.Mapping.Fields(), func(f mapping.Field) bool {
		return slices.ContainsFunc(r.job.Mapping.Inputs(side, f.Name), func(path string) bool {
			return !e.Shown(path) && r.side(side).Can.MayHide(path)
		})
	})
}
