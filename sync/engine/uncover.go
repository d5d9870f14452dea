package engine

import (
	"context"
	"slices"

	"nightporter/sync/mapping"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// uncover reads the records of a link by id whose side never showed what the other side
// edited: its lists may hide it. Otherwise the edit would count as settled and never travel.
func (r *run) uncover(ctx context.Context, p record.Pair) (record.Pair, error) {
	var sides []record.Side
	for _, side := range record.Sides {
		if r.neverShowed(side, p) {
			sides = append(sides, side)
		}
	}
	return r.readPair(ctx, p, sides)
}

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

// neverShowed reports whether a side of a link never showed a field that the other side edited.
func (r *run) neverShowed(side record.Side, p record.Pair) bool {
	here, there := &p.Sides[side], &p.Sides[side.Other()]
	m := r.job.Mapping
	return there.Seen != nil && slices.ContainsFunc(m.Fields(), func(f mapping.Field) bool {
		return slices.ContainsFunc(m.Inputs(side, f.Name), func(path string) bool {
			return !here.Shown(path) && r.side(side).Can.MayHide(path)
		}) &&
			slices.ContainsFunc(m.Inputs(side.Other(), f.Name), func(path string) bool {
				was, now := there.Base[path], there.Seen.Fields[path]
				return was.Known() && now.Observed() && !was.Same(r.job.Seal, now)
			})
	})
}
