package outbox

import (
	"time"

	"nightporter/sync/record"
)

// calm is how long no run of a job may have failed before a good one that did not look
// where the others failed counts for all.
const calm = 30 * time.Minute

// follow is a row of failed runs after one more run of the job; nil: none has failed,
// or it is over. The argument is not changed.
//
// Of a job whose one side is away the runs that read the other go on well, turn by turn
// with those that fail: to tell of each would be noise. So a good run ends the row only
// if it read a side that the last failed one did not get to read, or both, or if nothing
// failed for a while.
func follow(f *record.Failing, r record.Run) *record.Failing {
	read := [2]bool{r.Counts["left.pages"] > 0, r.Counts["right.pages"] > 0}
	switch r.Outcome {
	case record.Failed:
		next := record.Failing{Run: r.ID, Since: r.Ended}
		if f != nil {
			next = *f
		}
		next.Last, next.Read = r.Ended, read
		next.Runs++
		return &next
	case record.Done, record.Waits:
		if f == nil || mends(*f, read, r.Ended) {
			return nil
		}
	case record.Running, record.Halted, record.Broken, record.Withdrawn:
	}
	return f
}

// mends reports whether a good run that read these sides ends a row of failed ones.
func mends(f record.Failing, read [2]bool, at time.Time) bool {
	if read == [2]bool{true, true} || at.Sub(f.Last).Abs() >= calm {
		return true
	}
	for side := range read {
		if read[side] && !f.Read[side] {
			return true
		}
	}
	return read == f.Read && read == [2]bool{}
}
