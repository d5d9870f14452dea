package run

import (
	"nightporter/sync/record"
)

// AppliesOnce reports whether a create may be sent again even if the first request was applied: the system gives
// its first answer again under the same key, or refuses a second record with the same unique reference. That does
// not tell of a record that somebody entered by hand when ours did not come. So such a record is looked for first.
func (r *Run) AppliesOnce(side record.Side, in record.Intent) bool {
	can := r.Side(side).Can
	return can.Idempotent && r.keyHolds(in) || in.Change.Stamp != "" && can.Stamp.Path != "" && can.Stamp.Find && can.Stamp.Unique
}
