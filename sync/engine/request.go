package engine

import (
	"time"

	"nightporter/sync/record"
)

// request is what a system was asked for once, and refused.
type request struct {
	run    int64
	at     time.Time
	what   record.Digest            // of the values
	values map[string]record.Digest // of a link, each by its path
}

func requestOf(in record.Intent, digest func(record.Fields) record.Digest) request {
	q := request{run: in.Run, at: in.EndedAt, what: digest(in.Change.Fields)}
	if in.Link == 0 {
		return q
	}
	q.values = byPath(in.Change.Fields, digest)
	return q
}

// byPath is the digests of values, each by its path.
func byPath(f record.Fields, digest func(record.Fields) record.Digest) map[string]record.Digest {
	out := make(map[string]record.Digest, len(f))
	for p, v := range f {
		out[p] = digest(record.Fields{p: v})
	}
	return out
}

// about reports whether two requests were for the same values, or one for a part of the
// other's.
func (q request) about(o request) bool {
	return q.what == o.what || among(q.values, o.values) || among(o.values, q.values)
}

// among reports whether some values are all there among others; none are not.
func among(some, others map[string]record.Digest) bool {
	for p, v := range some {
		if o, ok := others[p]; !ok || o != v {
			return false
		}
	}
	return len(some) > 0
}

// reckon counts the runs that asked for what was refused, for a part of it or for more.
// A system may refuse a record whatever is asked of it, as where another record is in the
// way: were each part counted for itself, each would be asked for as often as one value.
func (f *Refusal) reckon(all []request) {
	runs := map[int64]bool{}
	for _, q := range all {
		if !q.about(f.own) {
			continue
		}
		if len(runs) == 0 {
			f.Since = q.at
		}
		runs[q.run], f.Last = true, q.at
	}
	f.Fails = len(runs)
}
