package links

import (
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// Adopts reports whether the bases of a link take over what a verdict settles. A link that has only writes to come
// stays marked until they are done.
func Adopts(v plan.Verdict) bool {
	return len(v.Actions) == 0 || len(v.Adopt[record.Left])+len(v.Adopt[record.Right]) > 0
}
