package takeback

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"nightporter/sync/plan"
	"nightporter/sync/record"
	"nightporter/sync/refer"
	"nightporter/sync/run"
)

// copies returns where a record of a link keeps values of a record that it names, and that record holds something
// else by now. Example: a booking keeps the phone that its guest had. Such a copy is only written together with its
// reference, so nothing ever mends it.
func (v *verification) copies(ctx context.Context, c plan.Case) ([]plan.Difference, error) {
	var out []plan.Difference
	for _, ref := range v.Job.References {
		for _, side := range record.Sides {
			value := c.Sides[side].Now[ref.Field]
			if !value.Observed() || value.Empty() || run.IsMarker(value) {
				continue
			}
			now, err := v.refer.Parts(ctx, side, ref, value, run.Resolution{Standing: refer.Known})
			if err != nil {
				return nil, fmt.Errorf("look what %s holds by now: %w", ref.Field, err)
			}
			out = append(out, v.copied(side, ref.Field, c.Sides[side].Native, now)...)
		}
	}
	return out, nil
}

// copied compares the texts of a reference with what the record that it names holds now.
func (v *verification) copied(side record.Side, field string, native record.Fields, now record.Value) []plan.Difference {
	m := v.Job.Mapping
	written, problems := m.Write(side, record.Fields{field: now}, native)
	if len(problems) > 0 {
		return nil
	}
	has, _ := m.Read(side, native)
	would, _ := m.Read(side, native.With(written))
	var out []plan.Difference
	held, current := has[field].Map(), would[field].Map()
	for _, part := range slices.Sorted(maps.Keys(held)) {
		is, was := current[part], held[part]
		if part == "id" || is.Empty() || was.Empty() || is.Equal(was) {
			continue
		}
		pair := [2]record.Value{}
		pair[side], pair[side.Other()] = was, is
		out = append(out, plan.Difference{
			Field: field + "." + part, Left: pair[record.Left], Right: pair[record.Right], Cause: plan.OldCopy,
			Why: fmt.Sprintf("%s keeps what was written there; the %s itself holds the other", v.Side(side).System, field),
		})
	}
	return out
}
