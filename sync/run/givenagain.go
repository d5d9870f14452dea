package run

import (
	"strings"

	"nightporter/sync/record"
)

// VouchedFor reports whether a record is known to be the one that was linked: it was made when that
// was, or has the key that it had first, as in a copy from before that was changed.
func (j *Job) VouchedFor(side record.Side, e record.Entry) bool {
	if strings.HasPrefix(e.Witness, record.BornWitness) { // what was made at another time is a stranger by now
		return !e.Seen.Created.IsZero()
	}
	return j.witnessed(e, j.keysNow(side, e))
}
