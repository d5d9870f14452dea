package entries

import (
	"slices"
	"strings"
	"time"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// mostPre is how many former states of a record are remembered besides the last: what each write replaced, and
// each field of which a read showed a new value. They are remembered as long as a late read could still show them.
const mostPre = 64

// stood returns what a write replaced, in the form in which replaced takes it. first is what stood there before
// changes that were never answered. An example: the record held Anna, a change to Otto was never answered, and
// then a read showed OTTO. Perhaps the system made that of Otto, and will make it of the next write too. A late
// read may show OTTO. Shown later than that, OTTO is no sign that somebody put the old value back; Anna is one.
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

// replaced notes former values: what a write replaced, or what stood in fields before a read showed new values
// there. A late read may show any of held alone. It may also show what was noted before, so that stays noted as
// long as reads may be late.
func (r *Row) replaced(at time.Time, held ...record.Fields) {
	for i, f := range held {
		held[i] = r.seal.Fields(f)
	}
	if r.Pre != nil {
		settled := !at.Before(r.SettleUntil)
		held = append(held, slices.DeleteFunc(append([]record.Fields{r.Pre}, r.earlier...), func(f record.Fields) bool {
			return settled && !r.unread(f) // the first read of a written path is compared with the value before
		})...)
	}
	r.Pre, r.earlier = held[0], held[1:min(len(held), mostPre+1)]
}

// overtake notes the old values when a read of this one record shows new ones. A list that lags behind that read
// shows the old values for a while, and that is no edit back. Each field is noted alone: users set one field after
// the other, and the list may show some of them already.
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

// unfilled returns the former values of a record that a read has just made known: nothing at each path that it
// shows. The user was perhaps still entering the record, and a list that lags may show less of it.
func unfilled(shown record.Fields) record.Fields {
	held := make(record.Fields, len(shown))
	for path := range shown {
		held[path] = record.Nothing()
	}
	return held
}

// Alike reports whether two values say the same. All ways to say that a value is empty are alike.
func Alike(v, w record.Value) bool { return v.Equal(w) || v.Empty() && w.Empty() }

// showsReplaced reports whether now agrees with what the record held before one of our writes, or before a read
// showed something new. Each of these states is compared alone: nobody knows which came first, an edit that a read
// showed or the write before it, and a late read may show one of them and not yet the other.
func (r *Row) showsReplaced(now record.Fields) bool {
	return r.agreesWith(now, r.Pre) || slices.ContainsFunc(r.earlier, func(held record.Fields) bool { return r.agreesWith(now, held) })
}

// agreesWith reports whether now shows at least one value of held, and no other value at any path of held.
func (r *Row) agreesWith(now, held record.Fields) bool {
	shows := false
	for path, old := range held {
		v := now[path]
		if !old.Observed() || !v.Observed() {
			continue
		}
		if v.Empty() && r.seal.Value(record.Nothing()).Equal(old) { // empty, but said in another way
			v = record.Nothing()
		}
		if !r.seal.Value(v).Equal(old) {
			return false
		}
		shows = true
	}
	return shows
}

// encodePre encodes the column pre: the fields that the last write replaced. If there are earlier ones, it is a
// list of the fields of each, the last ones first.
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
