package engine

import (
	"context"
	"fmt"

	"nightporter/sync/mapping"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// outdated adds to a case the references by which a record names one that is gone, while the
// same is there under another id: a guest who was made anew. What both sides are settled on is
// the same person, so that nothing else tells it.
func (r *run) outdated(ctx context.Context, sides [2]seenSide, c *plan.Case) error {
	for _, ref := range r.job.References {
		value := sides[record.Left].Now[ref.Field]
		if value.Type() != record.Text || !value.Equal(sides[record.Right].Now[ref.Field]) {
			continue
		}
		for _, side := range record.Sides {
			old, err := r.leadsNowhere(ctx, side, ref, sides[side], value.Text())
			if err != nil {
				return fmt.Errorf("look where %s leads: %w", ref.Field, err)
			}
			if !old {
				continue
			}
			parts, err := r.parts(ctx, side, ref, value, resolution{standing: known})
			if err != nil || !parts.Observed() {
				return err
			}
			c.Parts[side][ref.Field] = parts
			if c.Outdated[side] == nil {
				c.Outdated[side] = map[string]bool{}
			}
			c.Outdated[side][ref.Field] = true
		}
	}
	return nil
}

// leadsNowhere reports whether the id by which a record names an entity leads to another record
// than the one that stands for it there, or to one that is gone. One that was merged still
// answers by its old id, and one without a link may stand for somebody who is not known yet.
func (r *run) leadsNowhere(ctx context.Context, side record.Side, ref Reference, s seenSide, entity string) (bool, error) {
	shown, _ := r.job.Mapping.Read(side, s.Native)
	id := shown[ref.Field].Map()[mapping.PartID].Text()
	if id == "" {
		return false, nil
	}
	there := ref.Sides[side]
	job, place := r.Jobs[ref.Binding], record.Place{Binding: ref.Binding, Side: there}
	e, known, err := r.Store.Entry(ctx, place, record.Ref{Kind: job.Sides[there].Kind, ID: id})
	if err != nil || !known || e.Link == 0 && e.State != record.Gone && e.State != record.Stranger {
		return false, err
	}
	if e.State == record.Gone {
		t, _, err := r.Store.Tombstone(ctx, e.Num)
		if err != nil || t.Moved != "" {
			return false, err
		}
	}
	pair, ok, err := r.Store.ByEntity(ctx, ref.Binding, entity)
	if err != nil || !ok || pair.Sides[there].Num == e.Num {
		return false, err
	}
	return r.leadsThere(job, pair, target{side: there, byID: true}), nil
}
