package run

import (
	"time"

	"nightporter/sync/record"
)

// BeliedFor is how long lists that prove nothing are waited out before a person is told. Where a system
// never lists some of its records, no list ever proves anything.
const BeliedFor = time.Hour

// Aged reports whether a change without an answer has been waited for so long that a person is told.
func (r *Run) Aged(in record.Intent) bool {
	return !r.Young(in) && time.Since(in.SentAt) > r.Side(in.Place.Side).Settle+BeliedFor
}

// ListsNeeded is how many complete lists prove that a record is not there. One is enough if no edit changes the order
// of the list. Otherwise it takes two, because a list that pages by offset may hide records while somebody writes.
func (r *Run) ListsNeeded(side record.Side) int {
	if r.Side(side).Can.Stable {
		return 1
	}
	return 2
}
