package entries

import (
	"strings"

	"nightporter/sync/record"
)

// Digest turns the plain values that are kept of a record into digests.
func (r *Row) Digest() {
	if r.Base != nil {
		base := make(record.Base, len(r.Base))
		for path, kept := range r.Base {
			base[path] = kept
			if v, plain := kept.Plain(); plain {
				base[path] = r.seal.Keep(path, v)
			}
		}
		r.Base = base
	}
	r.Keys, r.Pre = r.seal.Keys(r.Keys), r.seal.Fields(r.Pre)
	for i, f := range r.earlier {
		r.earlier[i] = r.seal.Fields(f)
	}
}

// agrees reports whether the base holds all that f shows.
func (r *Row) agrees(f record.Fields) bool {
	for path, v := range f {
		if v.Observed() && !r.holds(path, v) {
			return false
		}
	}
	return true
}

// holds reports whether v is what the base has at a path.
func (r *Row) holds(path string, v record.Value) bool {
	if kept := r.Base[path]; kept.Digested() || !strings.HasPrefix(path, "@") {
		return kept.Same(r.seal.Key, v)
	}
	was, _ := r.seal.Keep(path, v).Plain()
	return r.Base[path].Same(nil, was)
}

// news reports whether a read shows anything that was not known.
func (r *Row) news(f record.Fields) bool {
	for path, v := range f {
		if !v.Observed() {
			continue
		}
		if r.Seen != nil && r.Seen.Fields[path].Observed() {
			if !r.Seen.Fields[path].Equal(v) {
				return true
			}
		} else if !r.holds(path, v) {
			return true
		}
	}
	return false
}

// DropKnown drops from the observation every value that the base holds as well. It reports whether it dropped any,
// or no observation is left.
func (r *Row) DropKnown() bool {
	if r.dropSeen(); r.Seen == nil {
		return true
	}
	left := record.Fields{}
	for path, v := range r.Seen.Fields {
		if v.Observed() && !r.holds(path, v) {
			left[path] = v
		}
	}
	if len(left) == len(r.Seen.Fields) {
		return false
	}
	seen := *r.Seen
	seen.Fields, r.Seen = left, &seen
	return true
}
