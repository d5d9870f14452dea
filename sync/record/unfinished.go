package record

import (
	"strings"
	"time"
)

// Under reports whether a native path is parent itself, or below it. What is said of a parent path holds for
// everything in it.
func Under(path, parent string) bool { return path == parent || strings.HasPrefix(path, parent+".") }

// shortestWait is the least time between two reads of a record that is unfinished.
const shortestWait = time.Minute

// Unfinished says that a record is not yet all that it will be: a call that still goes
// on, or whose transcript is not written yet.
type Unfinished struct {
	Lacks  []string      // native paths that come later and were never shown; none: the record itself still goes on
	Since  time.Time     // when the wait began; zero, from a connector: when the record was first seen
	Within time.Duration // how long the wait lasts

	// Failed is why some of what the record lacks could not be read, "" if the system answered. A read
	// that failed in part does not end the wait. In a record that lacks nothing, Failed is why the record
	// will never be what it should, as its system says. Such a record is asked for ever more seldom.
	Failed string

	// Ended is when a read found that the wait had been long enough. From then on the record counts as
	// finished, as it is. Only a store sets it.
	Ended time.Time
}

// Hopeless reports whether its system says that the record will never be what it should.
func (u *Unfinished) Hopeless() bool { return u != nil && len(u.Lacks) == 0 && u.Failed != "" }

// Over returns the moment when the wait has been long enough.
func (u *Unfinished) Over() time.Time { return u.Since.Add(u.Within) }

// Waits reports whether the record is still waited for.
func (u *Unfinished) Waits() bool { return u != nil && u.Ended.IsZero() }

// Next returns when to read the record again, after a read at now showed it unfinished. A young record is read
// again soon, an older one ever later, and once more when the wait is over. If reads go on failing after that,
// the record is read again after Within at the latest. Next depends only on the record's age, so that no count
// of reads has to be kept.
func (u *Unfinished) Next(now time.Time) time.Time {
	next := now.Add(max(shortestWait, min(now.Sub(u.Since)/2, u.Within)))
	if over := u.Over(); now.Before(over) && over.Before(next) {
		return over
	}
	return next
}
