package state

import (
	"slices"
	"strings"
	"time"

	"nightporter/sync/record"
)

// mostPre is how much of what a record held is remembered besides the last: what each
// write to it replaced, and each field that a read showed anew, as long as another read
// could still show it.
const mostPre = 64

// replaced notes what a write replaced, or what a read showed anew, each of which a late
// read may show by itself. It may also show what was noted before, as long as reads may
// be late.
func (r *row) replaced(at time.Time, held ...record.Fields) {
	for i, f := range held {
		held[i] = r.seal.fields(f)
	}
	if r.Pre != nil && at.Before(r.SettleUntil) {
		held = append(append(held, r.Pre), r.earlier...)
	}
	r.Pre, r.earlier = held[0], held[1:min(len(held), mostPre+1)]
}

// overtake notes what the record held before a read of it alone showed something else:
// a list that lags behind that read shows it for a while, and it is no edit back. Users
// set one field after the other, and the list may show any of them already.
func (r *row) overtake(before record.Fields, seen record.Seen) {
	o := seen.Observation
	if !o.At.Before(seen.Until) {
		return
	}
	var was []record.Fields
	for _, path := range o.Fields.Names() {
		if old, now := before[path], o.Fields[path]; old.Observed() && now.Observed() && !old.Equal(now) {
			was = append(was, record.Fields{path: old})
		}
	}
	if len(was) == 0 {
		return
	}
	r.replaced(o.At, was...)
	if until := ceil(seen.Until); until.After(r.SettleUntil) {
		r.SettleUntil = until
	}
}

// showsReplaced reports whether fields are what the record held before one of our
// writes, or before what a read showed, in all that they show of it. Each is asked for
// by itself: nobody knows which came first, what a read showed or the write before it,
// and a late read may show the one and not the other yet.
func (r *row) showsReplaced(now record.Fields) bool {
	return r.agreesWith(now, r.Pre) || slices.ContainsFunc(r.earlier, func(held record.Fields) bool { return r.agreesWith(now, held) })
}

// agreesWith reports whether now shows any of held, and nothing else in its place.
func (r *row) agreesWith(now, held record.Fields) bool {
	shows := false
	for path, old := range held {
		v := now[path]
		if !old.Observed() || !v.Observed() {
			continue
		}
		if !r.seal.value(v).Equal(old) {
			return false
		}
		shows = true
	}
	return shows
}

// encodePre is the column of what writes replaced: the last one's fields, or a list of
// the fields of several, the last one's first.
func encodePre(pre record.Fields, earlier []record.Fields) (any, error) {
	if len(earlier) == 0 {
		return encodeFields(pre)
	}
	return encode(append([]record.Fields{pre}, earlier...))
}

func (r *row) fillPre(text string) error {
	if !strings.HasPrefix(text, "[") {
		return decode(text, &r.Pre)
	}
	var all []record.Fields
	if err := decode(text, &all); err != nil {
		return err
	}
	if len(all) > 0 {
		r.Pre, r.earlier = all[0], all[1:]
	}
	return nil
}
