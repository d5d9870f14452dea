package entries

import (
	"strconv"
	"strings"
	"time"

	"nightporter/sync/record"
)

// clockStep and clockSpan are how a system's times of creation may differ that are the
// same: shown in another zone, or after the clocks were changed.
const (
	clockStep = 15 * time.Minute
	clockSpan = 26 * time.Hour
)

// strange reports whether an observation is of another record than the one that is
// known under its id, by the time at which it was made. Of a record without a link the
// newcomer takes the place.
func (r *Row) strange(o record.Observation, keys []record.Key) bool {
	if !o.Created.IsZero() {
		if was, ok := r.born(); ok && !sameBirth(was, o.Created) {
			if r.Link == 0 {
				r.Base, r.BaseVersion, r.Vouching, r.Seen, r.Witness = nil, "", nil, nil, ""
				r.Revision = record.Revision{}
				r.State, r.Why, r.Dirty = record.InStep, "", true
			} else {
				r.State, r.Why = record.Stranger, "it was made at another time than the record that was linked"
				r.Dirty = true
				r.Unlist()
				return true
			}
		} else if ok && r.State == record.Stranger {
			r.State, r.Why, r.Dirty = record.InStep, "", true
		}
	}
	r.witness(o, keys)
	return false
}

// witness remembers what the record can't lose while it is the same.
func (r *Row) witness(o record.Observation, keys []record.Key) {
	switch {
	case strings.HasPrefix(r.Witness, record.BornWitness):
	case !o.Created.IsZero():
		r.Witness = record.BornWitness + strconv.FormatInt(o.Created.Unix(), 10)
	case (r.Witness == "" || r.Witness == record.SaidWitness) && len(keys) > 0:
		r.Witness = record.KeyWitness(r.seal.Keys(keys[:1])[0])
	}
}

func (r *Row) born() (time.Time, bool) {
	text, ok := strings.CutPrefix(r.Witness, record.BornWitness)
	if !ok {
		return time.Time{}, false
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return time.Unix(n, 0), err == nil
}

func sameBirth(a, b time.Time) bool {
	d := b.Truncate(time.Second).Sub(a).Abs()
	return d <= clockSpan && d%clockStep <= time.Second
}

// Latest is the later of two times.
func Latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
