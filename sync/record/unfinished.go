package record

import (
	"strings"
	"time"
)

// Under reports whether a native path is another one, or below it: what is said of a parent
// path holds for all that is in it.
func Under(path, parent string) bool { return path == parent || strings.HasPrefix(path, parent+".") }

// shortestWait is the least time between two reads of a record that is unfinished.
const shortestWait = time.Minute

// Unfinished says that a record is not yet all that it will be: a call that still goes
// on, or whose transcript is not written yet.
type Unfinished struct {
	Lacks  []string      // native paths that come later, and of which nothing was shown; none: the record itself goes on
	Since  time.Time     // from when they are waited for; zero in what a connector says: since it was first seen
	Within time.Duration // for how long

	// Failed is why some of what it lacks could not be read, "" where the system answered:
	// a read that failed in part ends no wait. Of a record that lacks nothing it is why it
	// will never be what it should, as its system says: then it is asked for ever more seldom.
	Failed string

	// Ended is when a read found that it was waited for long enough: it counts as
	// finished, as it is. Only a store sets it.
	Ended time.Time
}

// Hopeless reports whether its system says that the record will never be what it should.
func (u *Unfinished) Hopeless() bool { return u != nil && len(u.Lacks) == 0 && u.Failed != "" }

// Over is when it has been waited for long enough.
func (u *Unfinished) Over() time.Time { return u.Since.Add(u.Within) }

// Waits reports whether the record is waited for.
func (u *Unfinished) Waits() bool { return u != nil && u.Ended.IsZero() }

// Next is when a record that a read at now showed unfinished is read again: soon while
// it is young, ever later as it grows old, and once more when it is over; from then on,
// as long as reads fail, once in the time that it was waited for. It depends on nothing
// but its age, so that no count of reads has to be kept.
func (u *Unfinished) Next(now time.Time) time.Time {
	next := now.Add(max(shortestWait, min(now.Sub(u.Since)/2, u.Within)))
	if over := u.Over(); now.Before(over) && over.Before(next) {
		return over
	}
	return next
}
