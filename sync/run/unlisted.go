package run

import (
	"slices"

	"nightporter/sync/merge"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// HasEnded reports whether a record is known to be over: a stay that was cancelled, or a record with a final status.
func (r *Run) HasEnded(side record.Side, e record.Entry) bool {
	canonical, _ := r.Job.Mapping.Read(side, e.Last())
	if b := r.Job.Booking; b != nil && slices.Contains(b.Dead, canonical[b.Status].Text()) {
		return true
	}
	return slices.ContainsFunc(r.Job.Rules.Merge, func(rule merge.Rule) bool {
		return plan.Ends(r.Job.Rules, rule.Field, canonical[rule.Field].Text())
	})
}
