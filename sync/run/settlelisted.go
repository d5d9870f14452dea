package run

import (
	"time"

	"nightporter/sync/record"
)

// beliedFor is how long lists that prove nothing are waited out before a person is told:
// where some of what is there is never listed, all of them are.
const BeliedFor = time.Hour

// Aged reports whether a change without an answer was waited for long enough for a person to
// be told.
func (r *Run) Aged(in record.Intent) bool {
	return !r.Young(in) && time.Since(in.SentAt) > r.Side(in.Place.Side).Settle+BeliedFor
}

// ListsNeeded is how many complete lists prove that a record is not there: one of an order that
// no edit changes, or two, because one that pages by offset hides live records while somebody
// writes.
func (r *Run) ListsNeeded(side record.Side) int {
	if r.Side(side).Can.Stable {
		return 1
	}
	return 2
}
