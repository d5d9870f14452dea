package run

import (
	"nightporter/sync/record"
)

// AsVersion reports whether the record of a side was decided to go for a newer version, and
// its system is to say so still; otherwise it was for another record, or for none.
func (x *Absence) AsVersion(side record.Side) bool {
	return x.Newer[side].Num != 0 && x.Tombs[side].Evidence == record.EvidenceReplaced
}
