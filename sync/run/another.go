package run

import (
	"maps"
	"slices"
	"strings"

	"nightporter/sync/record"
)

// BecameAnother reports whether the id of a linked record names another record now, where its system shows no time of
// creation: all values that tell the record from others have changed, and if its first key is known, it shows other
// keys only. A record that merely has a new key is not another one, nor is a record that a person said is the same.
func (j *Job) BecameAnother(side record.Side, e record.Entry) bool {
	keyed := strings.HasPrefix(e.Witness, record.KeyWitnessed)
	if e.Seen == nil || e.Base == nil || !keyed && (e.Witness != "" || !j.toldByNames()) {
		return false
	}
	if differs := j.differsFromAll(e.MayShow(), j.telling(side, e.Base), e.Seen); !differs || !keyed {
		return differs
	}
	keys := j.keysNow(side, e)
	return len(keys) > 0 && !j.witnessed(e, keys)
}

// differsFromAll reports whether a record differs from each of these bases as differsInAll says.
func (j *Job) differsFromAll(bases []record.Base, paths []string, seen *record.Observation) bool {
	return !slices.ContainsFunc(bases, func(base record.Base) bool { return !j.differsInAll(paths, base, seen) })
}

// differsInAll reports whether a record shows other values than its base at all of these paths that can
// be compared, and at two of them at least.
func (j *Job) differsInAll(paths []string, base record.Base, seen *record.Observation) bool {
	differ := 0
	for _, p := range paths {
		was, now := base[p], seen.Fields[p]
		empty := was.Same(j.Seal, record.Nothing()) || was.Same(j.Seal, record.OfText(""))
		switch {
		case strings.HasPrefix(p, "@"), !was.Known(), empty && (!now.Observed() || now.Empty()):
		case !now.Observed() && seen.View == "receipt": // it is as it was: of an answer only what differs is kept
			return false
		case !now.Observed() && !was.Digested(): // it was not shown: there is nothing to compare
		case !now.Observed(), was.Same(j.Seal, now): // as it was: of values kept as digests only what differs is remembered
			return false
		default:
			differ++
		}
	}
	return differ >= 2
}

// IsAnotherThan reports whether a record without a link can't be the one that is gone, entered anew:
// its system shows no time of creation, and everything that it is matched by has changed, as the guest
// and the days of a booking. A booking that was only moved may still be the one that is gone.
func (j *Job) IsAnotherThan(side record.Side, gone, e record.Entry) bool {
	if e.Seen == nil || strings.HasPrefix(e.Witness, record.BornWitness) {
		return false
	}
	return j.differsFromAll(gone.MayShow(), j.matchedBy(side), e.Seen)
}

// toldByNames reports whether every match rule has a reference in it. Bookings are matched so, by their
// guest and days.
func (j *Job) toldByNames() bool {
	plain := func(rule []string) bool { return !slices.ContainsFunc(rule, j.refers) }
	return len(j.Match) > 0 && !slices.ContainsFunc(j.Match, plain)
}

// telling returns the paths of a side that tell a record from others. If every match rule has a
// reference in it, these are the paths of the rules and no others: many bookings have the same status.
func (j *Job) telling(side record.Side, base record.Base) (out []string) {
	if !j.toldByNames() {
		return slices.Collect(maps.Keys(base))
	}
	return j.matchedBy(side)
}

// matchedBy returns the paths of a side that records are matched by.
func (j *Job) matchedBy(side record.Side) (out []string) {
	for _, rule := range j.Match {
		for _, f := range rule {
			out = append(out, j.Mapping.Inputs(side, f)...)
		}
	}
	return out
}

// refers reports whether a field names another record.
func (j *Job) refers(field string) bool {
	return slices.ContainsFunc(j.References, func(ref Reference) bool { return ref.Field == field })
}

// keysNow returns the match keys that a record shows now.
func (j *Job) keysNow(side record.Side, e record.Entry) []record.Key {
	now, _ := j.Mapping.Read(side, e.Seen.Fields)
	return j.Mapping.Keys(side, e.Seen.Fields, ResolvedOnly(now))
}

// witnessed reports whether one of these keys is the record's first key, as its witness says.
func (j *Job) witnessed(e record.Entry, keys []record.Key) bool {
	for _, k := range keys {
		if record.KeyWitness(j.SealedKey(k)) == e.Witness {
			return true
		}
	}
	return false
}
