package run

import (
	"nightporter/connectors"
	"nightporter/sync/record"
)

// The lists of a side with a window only show the bookings of some days. A booking that they don't show
// may be there, on other days. So such a list alone does not prove that a booking is missing, and no
// booking is made across because of it that may lie beyond the window.

// Bounded reports whether a booking may be moved to days that the lists of a side don't show.
func (r *Run) Bounded(side record.Side) bool {
	return r.Job.Booking != nil && r.Scope(side) != (connectors.Scope{})
}

// ByDays reports whether a look-up asks for the first or the last day of a booking. Such a look-up does
// not find a booking that was moved.
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
