package entries

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"nightporter/sync/record"
)

// strange reports whether a read is discarded because its time of creation tells that the id names another record
// now. An example: guest 17 was Anna Rossi, and is Otto Berg today. If the entry has no link, the new record takes
// it over, and the read counts.
func (r *Row) strange(o record.Observation, keys []record.Key) bool {
	if !o.Created.IsZero() {
		was, ok := r.born()
		another := ok && !record.SameBirth(was, o.Created)
		if ok && r.bornByAnswer() {
			if another = !r.isAsAnswered(was, o); !another {
				r.Witness, ok = "", false // from now on the time that reads show counts
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

// witness remembers by what the record is recognised: its time of creation or its first key, which it can't lose
// while it is the same record.
func (r *Row) witness(o record.Observation, keys []record.Key) {
	switch {
	case r.bornByAnswer() && o.Created.IsZero() && len(keys) > 0 && r.showsAsAnswered(o): // its lists show no time of creation: only its keys tell which record it is
		r.Witness = record.KeyWitness(r.seal.Keys(keys[:1])[0])
	case strings.HasPrefix(r.Witness, record.BornWitness):
	case !o.Created.IsZero() && !r.lacksFirstKey(keys):
		r.Witness = bornAt(o.Created)
	case (r.Witness == "" || r.Witness == record.SaidWitness) && len(keys) > 0:
		r.Witness = record.KeyWitness(r.seal.Keys(keys[:1])[0])
	}
}

// lacksFirstKey reports whether a record is recognised by its first key, but shows only other keys now. It may be
// another record then. So its first key stays its witness, and its time of creation does not take that place.
func (r *Row) lacksFirstKey(keys []record.Key) bool {
	return strings.HasPrefix(r.Witness, record.KeyWitnessed) && len(keys) > 0 &&
		!slices.ContainsFunc(r.seal.Keys(keys), func(k record.Key) bool { return record.KeyWitness(k) == r.Witness })
}

// WitnessAnswer notes by what a record that we created is recognised. No list has shown the record yet, and until
// one does, its id may go to another record. keys are those of the record that it was made from.
func (r *Row) WitnessAnswer(a record.Receipt, keys []record.Key) {
	switch {
	case r.Witness != "":
	case !a.Created.IsZero() && a.Adopted:
		r.Witness = bornAt(a.Created)
	case !a.Created.IsZero():
		r.Witness = bornAnswered(a.Created)
	case len(keys) > 0: // these keys come as they are kept, perhaps as digests
		r.Witness = record.KeyWitness(keys[0])
	}
}

// byAnswer marks a time of creation that only the answer to the create has shown. Some systems show another time
// in their lists.
const byAnswer = " answered"

func bornAnswered(t time.Time) string {
	return fmt.Sprintf("%s%s %03d", bornAt(t), byAnswer, t.UnixMilli()%1000)
}

func (r *Row) bornByAnswer() bool { return strings.Contains(r.Witness, byAnswer) }

// isAsAnswered reports whether a record that is shown for the first time is the one that our create made. If the
// time of creation differs by a second or two, another record may have been given the id at once: then less than
// half of what was sent is shown. Two records do not share a time to the millisecond, unless the system knows only
// whole seconds.
func (r *Row) isAsAnswered(was time.Time, o record.Observation) bool {
	same, told := r.asMade(o)
	exact := r.Witness == bornAnswered(o.Created) && o.Created.UnixMilli()%1000 != 0
	return exact || same*2 > told || record.SameBirth(was, o.Created) && same*2 >= told
}

// showsAsAnswered reports whether more than half of the fields that a read shows are as the record was made.
func (r *Row) showsAsAnswered(o record.Observation) bool {
	same, told := r.asMade(o)
	return same*2 > told
}

// asMade counts the fields that a read shows and that the record was made with (told), and how many of them still
// hold what it was made with (same).
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
	return record.Birth(at)
}

// Latest is the later of two times.
func Latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
