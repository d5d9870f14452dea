package observe

import (
	"context"

	"nightporter/sync/plan"
)

// SourceWhole reports whether a create is made from all of a record. One that lists hide in
// part is read by id first; what that shows besides is planned anew.
func (r *Room) SourceWhole(ctx context.Context, a plan.Action) (bool, error) {
	from := a.Side.Other()
	was, ok, err := r.store.Entry(ctx, r.Place(from), a.Source)
	if err != nil || !ok || !r.Hidden(from, was) {
		return err == nil, err
	}
	if read, err := r.ReadFirst(ctx, from, a.Source); err != nil || !read {
		return false, err
	}
	now, _, err := r.store.Entry(ctx, r.Place(from), a.Source)
	if err != nil || now.State == was.State && now.Last().Equal(was.Last()) {
		return err == nil, err
	}
	r.Strays = true
	return false, nil
}
