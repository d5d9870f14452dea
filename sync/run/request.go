package run

import (
	"time"

	"nightporter/sync/record"
)

// Request is one request that a system refused.
type Request struct {
	Run    int64
	At     time.Time
	What   record.Digest            // a digest of the values
	Values map[string]record.Digest // for a link: a digest of each value, by path
}

// about reports whether two requests were for the same values, or one for a part of the
// other's.
func (q Request) about(o Request) bool {
	return q.What == o.What || Among(q.Values, o.Values) || Among(o.Values, q.Values)
}

// Among reports whether all of some values are among others. It is false if there are none.
func Among(some, others map[string]record.Digest) bool {
	for p, v := range some {
		if o, ok := others[p]; !ok || o != v {
			return false
		}
	}
	return len(some) > 0
}

// Reckon counts the runs that asked for the refused values, for a part of them or for more. A system
// may refuse a record whatever is asked, as where another record is in the way. If each part were
// counted by itself, each part would be asked for as often as a single value.
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
