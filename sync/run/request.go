package run

import (
	"time"

	"nightporter/sync/record"
)

// Request is what a system was asked for once, and refused.
type Request struct {
	Run    int64
	At     time.Time
	What   record.Digest            // of the values
	Values map[string]record.Digest // of a link, each by its path
}

// about reports whether two requests were for the same values, or one for a part of the
// other's.
func (q Request) about(o Request) bool {
	return q.What == o.What || Among(q.Values, o.Values) || Among(o.Values, q.Values)
}

// Among reports whether some values are all there among others; none are not.
func Among(some, others map[string]record.Digest) bool {
	for p, v := range some {
		if o, ok := others[p]; !ok || o != v {
			return false
		}
	}
	return len(some) > 0
}

// Reckon counts the runs that asked for what was refused, for a part of it or for more.
// A system may refuse a record whatever is asked of it, as where another record is in the
// way: were each part counted for itself, each would be asked for as often as one value.
func (f *Refusal) Reckon(all []Request) {
	runs := map[int64]bool{}
	for _, q := range all {
		if !q.about(f.Own) {
			continue
		}
		if len(runs) == 0 {
			f.Since = q.At
		}
		runs[q.Run], f.Last = true, q.At
	}
	f.Fails = len(runs)
}
