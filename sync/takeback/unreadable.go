package takeback

import (
	"fmt"
	"slices"

	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// withUnreadable adds the fields that can't be read on one side. They count as not shown, so nobody can say that
// both sides hold the same.
func (v *verification) withUnreadable(p record.Pair, diffs []plan.Difference) []plan.Difference {
	for _, side := range record.Sides {
		now, problems := v.Job.Mapping.Read(side, p.Sides[side].Last())
		for _, x := range problems {
			known := slices.ContainsFunc(diffs, func(d plan.Difference) bool { return d.Field == x.Field })
			if known || now[x.Field].Observed() {
				continue
			}
			diffs = append(diffs, plan.Difference{Field: x.Field, Cause: plan.Unreadable, Why: fmt.Sprintf("in %s it can't be read: %s", v.Side(side).System, x.Text)})
		}
	}
	return diffs
}
