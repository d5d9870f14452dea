package run

import "nightporter/sync/record"

// What becomes of a record whose partner is gone, and which record is the same as a new one that has its
// key, are one question as long as the first is open: the new one may be what is gone, entered anew. To
// make it anew and to say that it is none of those that are there go by the same word, so that both
// answers together would make it twice. So the new one waits, and nothing is asked about it, until the
// first is answered and done.

// WaitsForGone reports whether a record waits so. What names it is told that it waits for a person, too.
func WaitsForGone(e record.Entry) bool { return e.State == record.Waiting && e.Cause == GoneFirst }

// WaitsForGone is WaitsForGone of the entry.
func (c Brief) WaitsForGone() bool { return c.State == record.Waiting && c.Cause == GoneFirst }
