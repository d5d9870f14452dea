package engine

import (
	"maps"
	"slices"
	"strings"

	"nightporter/sync/record"
)

// becameAnother reports whether a record is another one than was linked under its id,
// where its system shows no time of creation: not one value that tells it from others is what
// it was, and its first key, where one is known, is another. One that merely has a new key is not,
// nor one of which a person said that it is the same.
func (j *Job) becameAnother(side record.Side, e record.Entry) bool {
	keyed := strings.HasPrefix(e.Witness, record.KeyWitnessed)
	if e.Seen == nil || e.Base == nil || !keyed && (e.Witness != "" || !j.toldByNames()) {
		return false
	}
	if differs := j.differsInAll(j.telling(side, e.Base), e.Base, e.Seen); !differs || !keyed {
		return differs
	}
	keys := j.keysNow(side, e)
	return len(keys) > 0 && !j.witnessed(e, keys)
}

// differsInAll reports whether a record shows another value at each of these paths that is known, and at two of them or
// more.
func (j *Job) differsInAll(paths []string, base record.Base, seen *record.Observation) bool {
	differ := 0
	for _, p := range paths {
		was, now := base[p], seen.Fields[p]
		empty := was.Same(j.Seal, record.Nothing()) || was.Same(j.Seal, record.OfText(""))
		switch {
		case strings.HasPrefix(p, "@"), !was.Known(), empty && (!now.Observed() || now.Empty()):
		case !now.Observed() && seen.View == "receipt": // it is as it was: an answer is kept for what differs alone
			return false
		case !now.Observed() && !was.Digested(): // nobody has seen it
		case !now.Observed(), was.Same(j.Seal, now): // of what is kept by its digest only what differs is remembered
			return false
		default:
			differ++
		}
	}
	return differ >= 2
}

// isAnotherThan reports whether a record without a link can't be the record that is gone, entered anew: everything that
// the two are matched by differs, as the guest and all the days of a booking. If its system shows times of creation, they
// tell instead. A booking that was only moved, or only given to another guest, may still be the one that is gone.
func (j *Job) isAnotherThan(side record.Side, gone, e record.Entry) bool {
	if e.Seen == nil || strings.HasPrefix(e.Witness, record.BornWitness) {
		return false
	}
	return j.differsInAll(j.matchedBy(side), gone.Base, e.Seen)
}

// toldByNames reports whether records are matched by nothing but whom they name, as bookings are
// by their guest and days.
func (j *Job) toldByNames() bool {
	plain := func(rule []string) bool { return !slices.ContainsFunc(rule, j.refers) }
	return len(j.Match) > 0 && !slices.ContainsFunc(j.Match, plain)
}

// telling is the paths of a side that tell a record from others. What is matched by whom it names
// is told by nothing else: many bookings have the same status.
func (j *Job) telling(side record.Side, base record.Base) (out []string) {
	if !j.toldByNames() {
		return slices.Collect(maps.Keys(base))
	}
	return j.matchedBy(side)
}

// matchedBy is the paths of a side that a record is matched by.
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

// keysNow is the keys that a record shows.
func (j *Job) keysNow(side record.Side, e record.Entry) []record.Key {
	now, _ := j.Mapping.Read(side, e.Seen.Fields)
	return j.Mapping.Keys(side, e.Seen.Fields, resolvedOnly(now))
}

// witnessed reports whether one of a record's keys is its first.
func (j *Job) witnessed(e record.Entry, keys []record.Key) bool {
	for _, k := range keys {
		if record.KeyWitness(j.sealedKey(k)) == e.Witness {
			return true
		}
	}
	return false
}
