package links

import (
	"context"
	"maps"

	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// SinceAsked returns a case with what was edited since a person was asked about a changed configuration. Such a
// field is decided by what stood on both sides when they were asked.
func (r *Room) SinceAsked(ctx context.Context, p record.Pair, c plan.Case) (plan.Case, error) {
	stood, ok := r.Book.Stood[p.Link]
	if !ok || len(r.Book.Remapped) == 0 {
		return c, nil
	}
	for side := range p.Sides {
		e := &p.Sides[side]
		base := maps.Clone(e.Base)
		if base == nil {
			base = record.Base{}
		}
		for path, v := range stood[side] {
			base[path] = record.StoredOf(v)
		}
		e.Base = base
	}
	asked, _, err := r.CaseOf(ctx, p)
	if err != nil {
		return c, err
	}
	for side := range asked.Sides { // only what was settled is different
		asked.Sides[side].Now = c.Sides[side].Now
	}
	return plan.Since(r.Job.Rules, c, asked, r.Book.Remapped), nil
}
