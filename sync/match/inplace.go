package match

import "slices"

// tellsByKey reports whether a record with another key is another record, as a contact with another phone is: that
// is how a user tells two apart. A booking that is moved stays the same booking.
func (r *Room) tellsByKey() bool {
	return r.Job.Booking == nil && !slices.ContainsFunc(r.RuleNames(), r.Refers)
}
