package observe

import (
	"context"

	"nightporter/sync/plan"
)

// SourceWhole reports whether all of the record is known that a create is made from. If lists hide a part of the
// record, it is read by id first. If that shows anything new, the result is false: the record is planned anew.
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
