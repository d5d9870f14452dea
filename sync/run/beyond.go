package run

import (
	"nightporter/connectors"
	"nightporter/sync/record"
)

// The lists of a side with a window show the bookings of some days alone. A booking that they don't
// show may be there, on other days: nothing is made on the word of such a list that may be there
// beyond it.

// Bounded reports whether a booking may be moved to where the lists of a side show nothing.
func (r *Run) Bounded(side record.Side) bool {
	return r.Job.Booking != nil && r.Scope(side) != (connectors.Scope{})
}

// ByDays reports whether what is asked for names a day of a booking. A booking that was moved is
// not found by it.
func (r *Run) ByDays(side record.Side, ask record.Fields) bool {
	b := r.Job.Booking
	if b == nil {
		return false
	}
	for _, f := range []string{b.First, b.Last} {
		for _, p := range r.Job.Mapping.Inputs(side, f) {
			if _, is := ask[p]; is {
				return true
			}
		}
	}
	return false
}
