package run

import (
	"nightporter/sync/record"
)

// AsVersion reports whether it was decided that the record of a side is gone because a newer version
// replaced it. Then its system still has to say so when that is carried over. Otherwise the record
// became another one, or is simply gone.
func (x *Absence) AsVersion(side record.Side) bool {
	return x.Newer[side].Num != 0 && x.Tombs[side].Evidence == record.EvidenceReplaced
}
