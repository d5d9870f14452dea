package run

import (
	"strings"

	"nightporter/sync/record"
)

// VouchedFor reports whether a record is known to be the one that was linked. It was made at the same
// time, or it has the first key of the linked record, as in a copy from before that key was changed.
func (j *Job) VouchedFor(side record.Side, e record.Entry) bool {
	if strings.HasPrefix(e.Witness, record.BornWitness) { // one made at another time has the state Stranger by now
		return !e.Seen.Created.IsZero()
	}
	return j.witnessed(e, j.keysNow(side, e))
}
