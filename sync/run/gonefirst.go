package run

import "nightporter/sync/record"

// Two questions may come up together: what becomes of a record that has lost its partner, and which
// record a new one with its key is. As long as the first question is open, both are one: the new record
// may be the lost partner, entered anew. "Make it anew" and "it is none of those that are there" are
// the same word, so that both answers together would make the record twice. So the new record waits,
// and nothing is asked about it, until the first question is answered and done.

// WaitsForGone reports whether a record waits until it is decided what becomes of a link with a record
// that is gone. Any record that names it is told that it waits for a person, too.
func WaitsForGone(e record.Entry) bool { return e.State == record.Waiting && e.Cause == GoneFirst }

// WaitsForGone is WaitsForGone for the entry that the Brief is of.
func (c Brief) WaitsForGone() bool { return c.State == record.Waiting && c.Cause == GoneFirst }
