package run

import (
	"nightporter/sync/record"
)

// AppliesOnce reports whether a create may be sent again though the first may have
// been applied: under the same key the system gives the first answer again, and a
// reference that it keeps unique it refuses. That tells nothing of a record that
// somebody entered by hand when ours did not come: that is what is looked for first.
func (r *Run) AppliesOnce(side record.Side, in record.Intent) bool {
	can := r.Side(side).Can
	return can.Idempotent && r.keyHolds(in) || in.Change.Stamp != "" && can.Stamp.Path != "" && can.Stamp.Find && can.Stamp.Unique
}
