package match

import "slices"

// tellsByKey reports whether a key of its own makes a record another one, as a phone does of a contact: that
// is how a user tells two apart. A booking that is moved is what it was.
func (r *Room) tellsByKey() bool {
	return r.Job.Booking == nil && !slices.ContainsFunc(r.RuleNames(), r.Refers)
}
