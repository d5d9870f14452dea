package entries

import (
	"slices"
	"strings"
	"time"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// mostPre is how much of what a record held is remembered besides the last: what each
// write to it replaced, and each field that a read showed anew, as long as another read
// could still show it.
const mostPre = 64

// stood is what a write replaced, as replaced takes it. first is what stood there before
// changes that were never answered. What was not settled, and may be what the system made
// of one of those, may be what it makes of this one too: a late read may show it, but shown
// after that it is no sign that somebody put it back. What stood there before is one.
func (r *Row) stood(before, first record.Fields) []record.Fields {
	was := before
	for path, v := range first {
		if before[path].Observed() && !r.holds(path, before[path]) {
			was = was.With(record.Fields{path: v})
		}
	}
	if was.Equal(before) {
		return []record.Fields{before}
	}
	return []record.Fields{was, before}
}

// replaced notes what a write replaced, or what a read showed anew, each of which a late
// read may show by itself. It may also show what was noted before, as long as reads may
// be late.
func (r *Row) replaced(at time.Time, held ...record.Fields) {
	for i, f := range held {
		held[i] = r.seal.Fields(f)
	}
	if r.Pre != nil {
		settled := !at.Before(r.SettleUntil)
		held = append(held, slices.DeleteFunc(append([]record.Fields{r.Pre}, r.earlier...), func(f record.Fields) bool {
			return settled && !r.unread(f) // the first read of it is compared with what was replaced
		})...)
	}
	r.Pre, r.earlier = held[0], held[1:min(len(held), mostPre+1)]
}

// overtake notes what the record held before a read of it alone showed something else:
// a list that lags behind that read shows it for a while, and it is no edit back. Users
// set one field after the other, and the list may show any of them already.
func (r *Row) overtake(before record.Fields, seen record.Seen) {
	o := seen.Observation
	if !o.At.Before(seen.Until) {
		return
	}
	var was []record.Fields
	for _, path := range o.Fields.Names() {
		if old, now := before[path], o.Fields[path]; old.Observed() && now.Observed() && !Alike(old, now) {
			was = append(was, record.Fields{path: old})
		}
	}
	if len(was) == 0 {
		return
	}
	r.replaced(o.At, was...)
	if until := sqlite.Ceil(seen.Until); until.After(r.SettleUntil) {
		r.SettleUntil = until
	}
}

// unfilled is what a record that nobody knew held before a read showed it: its user was
// still entering it, and a list that lags may show less of it.
func unfilled(shown record.Fields) record.Fields {
	held := make(record.Fields, len(shown))
	for path := range shown {
		held[path] = record.Nothing()
	}
	return held
}

// Alike reports whether two values say the same: that one is empty is said in several ways.
func Alike(v, w record.Value) bool { return v.Equal(w) || v.Empty() && w.Empty() }

// showsReplaced reports whether fields are what the record held before one of our
// writes, or before what a read showed, in all that they show of it. Each is asked for
// by itself: nobody knows which came first, what a read showed or the write before it,
// and a late read may show the one and not the other yet.
func (r *Row) showsReplaced(now record.Fields) bool {
	return r.agreesWith(now, r.Pre) || slices.ContainsFunc(r.earlier, func(held record.Fields) bool { return r.agreesWith(now, held) })
}

// agreesWith reports whether now shows any of held, and nothing else in its place.
func (r *Row) agreesWith(now, held record.Fields) bool {
	shows := false
	for path, old := range held {
		v := now[path]
		if !old.Observed() || !v.Observed() {
			continue
		}
		if v.Empty() && r.seal.Value(record.Nothing()).Equal(old) { // said in another way
			v = record.Nothing()
		}
		if !r.seal.Value(v).Equal(old) {
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
		return sqlite.EncodeFields(pre)
	}
	return sqlite.Encode(append([]record.Fields{pre}, earlier...))
}

func (r *Row) fillPre(text string) error {
	if !strings.HasPrefix(text, "[") {
		return sqlite.Decode(text, &r.Pre)
	}
	var all []record.Fields
	if err := sqlite.Decode(text, &all); err != nil {
		return err
	}
	if len(all) > 0 {
		r.Pre, r.earlier = all[0], all[1:]
	}
	return nil
}
