package state

import (
	"slices"
	"strings"
	"time"

	"nightporter/sync/record"
)

// mostPre is how many writes to one record, each made while a read could still show
// what the one before it replaced, are remembered for that.
const mostPre = 16

// replaced notes what a write replaced. As long as reads may be late they may also show
// what the writes before it replaced.
func (r *row) replaced(before record.Fields, at time.Time) {
	var earlier []record.Fields
	if r.Pre != nil && at.Before(r.SettleUntil) {
		earlier = append([]record.Fields{r.Pre}, r.earlier...)
	}
	r.Pre, r.earlier = r.seal.fields(before), earlier[:min(len(earlier), mostPre)]
}

// overtake notes what the record held before a read of it alone showed something else:
// a list that lags behind that read shows it for a while, and it is no edit back.
func (r *row) overtake(before record.Fields, seen record.Seen) {
	o := seen.Observation
	if !o.At.Before(seen.Until) {
		return
	}
	was := record.Fields{}
	for path, now := range o.Fields {
		if old := before[path]; old.Observed() && now.Observed() && !old.Equal(now) {
			was[path] = old
		}
	}
	if len(was) == 0 {
		return
	}
	r.replaced(was, o.At)
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
