package run

import (
	"slices"

	"nightporter/sync/mapping"
	"nightporter/sync/record"
)

// Hidden reports whether reads have shown less of a record than is mapped, and a read by id may show
// more. A record that is made across from it would lack the rest for good.
func (r *Run) Hidden(side record.Side, e record.Entry) bool {
	if e.Seen == nil || e.Seen.View == "get" && r.OfThisRun(e.Seen.At) {
		return false
	}
	return slices.ContainsFunc(r.Job.Mapping.Fields(), func(f mapping.Field) bool {
		return slices.ContainsFunc(r.Job.Mapping.Inputs(side, f.Name), func(path string) bool {
			return !e.Shown(path) && r.Side(side).Can.MayHide(path)
		})
	})
}
