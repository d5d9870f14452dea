package entries

import (
	"fmt"
	"slices"
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
		was, ok := r.born()
		another := ok && !sameBirth(was, o.Created)
		if ok && r.bornByAnswer() {
			if another = !r.isAsAnswered(was, o); !another {
				r.Witness, ok = "", false // a read says it for good
			}
		}
		if another {
			if r.Link == 0 {
				r.Base, r.BaseVersion, r.Vouching, r.Seen, r.Witness = nil, "", nil, nil, ""
				r.Revision = record.Revision{}
				r.State, r.Why, r.Dirty, r.Since = record.InStep, "", true, o.At
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
	case r.bornByAnswer() && o.Created.IsZero() && len(keys) > 0 && r.showsAsAnswered(o): // its lists tell no time: only its keys say who it is
		r.Witness = record.KeyWitness(r.seal.Keys(keys[:1])[0])
	case strings.HasPrefix(r.Witness, record.BornWitness):
	case !o.Created.IsZero() && !r.lacksFirstKey(keys):
		r.Witness = bornAt(o.Created)
	case (r.Witness == "" || r.Witness == record.SaidWitness) && len(keys) > 0:
		r.Witness = record.KeyWitness(r.seal.Keys(keys[:1])[0])
	}
}

// lacksFirstKey reports whether a record is known by its first key, and shows only other keys. It may be another record
// then. So its first key stays what tells who it is, and its time of creation does not take that place.
func (r *Row) lacksFirstKey(keys []record.Key) bool {
	return strings.HasPrefix(r.Witness, record.KeyWitnessed) && len(keys) > 0 &&
		!slices.ContainsFunc(r.seal.Keys(keys), func(k record.Key) bool { return record.KeyWitness(k) == r.Witness })
}

// WitnessAnswer notes how a record that we made is told from others. No list has shown it yet, and until one does, its id
// may go to another record. keys are those of the record that it was made from.
func (r *Row) WitnessAnswer(a record.Receipt, keys []record.Key) {
	switch {
	case r.Witness != "":
	case !a.Created.IsZero() && a.Adopted:
		r.Witness = bornAt(a.Created)
	case !a.Created.IsZero():
		r.Witness = bornAnswered(a.Created)
	case len(keys) > 0: // they are as they are kept
		r.Witness = record.KeyWitness(keys[0])
	}
}

// byAnswer marks a time of creation that only the answer to the create has told. Some systems tell another time in their
// lists.
const byAnswer = " answered"

func bornAnswered(t time.Time) string {
	return fmt.Sprintf("%s%s %03d", bornAt(t), byAnswer, t.UnixMilli()%1000)
}

func (r *Row) bornByAnswer() bool { return strings.Contains(r.Witness, byAnswer) }

// isAsAnswered reports whether a record that is shown for the first time is the one that a create made. A time of creation
// that differs by a second or two may be that of another record, which was given the id at once: then less than half of
// what was sent is shown. Two records do not share a time to the millisecond, unless the system knows whole seconds
// alone.
func (r *Row) isAsAnswered(was time.Time, o record.Observation) bool {
	same, told := r.asMade(o)
	exact := r.Witness == bornAnswered(o.Created) && o.Created.UnixMilli()%1000 != 0
	return exact || same*2 > told || sameBirth(was, o.Created) && same*2 >= told
}

// showsAsAnswered reports whether a record shows more than half of what it was made with.
func (r *Row) showsAsAnswered(o record.Observation) bool {
	same, told := r.asMade(o)
	return same*2 > told
}

// asMade counts what of a record is shown as it was made, of all that is shown of that.
func (r *Row) asMade(o record.Observation) (same, told int) {
	for path, v := range o.Fields {
		if was := r.Base[path]; was.Known() && v.Observed() {
			told++
			if r.holds(path, v) {
				same++
			}
		}
	}
	return same, told
}

func bornAt(t time.Time) string { return record.BornWitness + strconv.FormatInt(t.Unix(), 10) }

func (r *Row) born() (time.Time, bool) {
	at, _, _ := strings.Cut(r.Witness, byAnswer)
	text, ok := strings.CutPrefix(at, record.BornWitness)
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
