package story

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"nightporter/sync/record"
)

// Stand says what one record held at a given time, as far as the journal shows.
type Stand struct {
	System record.System    `json:"system"`
	Record record.Ref       `json:"record"`
	Known  bool             `json:"known"` // the record had been seen by that time
	Fields map[string]Stood `json:"fields"`
}

// Stood is the value of one field at a given time, and how that is known.
type Stood struct {
	Value Shown  `json:"value"`
	Sure  bool   `json:"sure"` // the journal shows the value; otherwise How says what is not known
	How   string `json:"how"`
}

// At returns what both records held at a given time. A value comes from the last write or sight before
// that time or, if there is none, from the next change, which shows the value that it replaced.
func At(f Facts, at time.Time) []Stand {
	if f.Zone == nil {
		f.Zone = time.UTC
	}
	var out []Stand
	for _, side := range f.order() {
		k := f.Sides[side]
		s := Stand{System: f.Systems[side], Record: k.Entry.Ref, Fields: map[string]Stood{}, Known: !at.Before(k.Entry.Since)}
		if s.Known {
			for _, field := range f.fieldsOn(side) {
				if v, ok := f.stood(side, field, at); ok {
					s.Fields[field] = v
				}
			}
		}
		out = append(out, s)
	}
	return out
}

// fieldsOn returns the fields that a side is known to have now or to have had.
func (f *Facts) fieldsOn(side record.Side) []string {
	names := map[string]bool{}
	for name := range f.Sides[side].Fields {
		names[name] = true
	}
	for _, c := range f.Changes {
		if c.State == record.Settled && c.Side == side {
			for _, l := range c.Lines {
				names[l.Field] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// sight is a time at which the value of a field on one side is known.
type sight struct {
	at     time.Time
	before record.Value // for a write: the value that it replaced
	value  record.Value
	write  bool
	run    int64
}

// sights returns every sight of a field on a side, in order of time. Sights are our writes to the side, the
// values that our writes to the other side took from this side, and the values in questions.
func (f *Facts) sights(side record.Side, field string) []sight {
	var out []sight
	for _, c := range f.Changes {
		if c.State != record.Settled {
			continue
		}
		for _, l := range c.Lines {
			switch {
			case l.Field != field:
			case c.Side == side:
				out = append(out, sight{at: c.EndedAt, before: l.Before, value: l.After, write: true, run: c.Run})
			case f.undoes(c) == 0 && l.Rule != "union" && (!l.Chosen || !f.wroteIn(c.Run, side, field)):
				out = append(out, sight{at: c.Made, value: l.After, run: c.Run})
			}
		}
	}
	for _, c := range f.Conflicts {
		v := [2]record.Value{c.Left, c.Right}[side]
		if c.Field == field && c.Link != 0 && v.Observed() {
			out = append(out, sight{at: c.Opened, value: v, run: c.Run})
		}
	}
	slices.SortStableFunc(out, func(a, b sight) int { return a.at.Compare(b.at) })
	return out
}

// wroteIn reports whether a run wrote a field on a side. If a person chose a value, and the run wrote it to
// this side as well as to the other one, the person typed it: it stood on neither side before.
func (f *Facts) wroteIn(run int64, side record.Side, field string) bool {
	return slices.ContainsFunc(f.Changes, func(c Change) bool {
		return c.Run == run && c.Side == side && slices.ContainsFunc(c.Lines, func(l Line) bool { return l.Field == field })
	})
}

// stood returns the value of a field of a side at a given time. It returns false if the record is not known
// to have had a value there.
func (f *Facts) stood(side record.Side, field string, at time.Time) (Stood, bool) {
	var last, next *sight
	all := f.sights(side, field)
	for i := range all {
		if all[i].at.After(at) {
			next = &all[i]
			break
		}
		last = &all[i]
	}
	now := f.Sides[side].Fields[field]
	switch {
	case next == nil && !at.Before(f.Now) && now.Observed():
		return Stood{Shown{now}, true, "it is what was last seen"}, true
	case last != nil:
		return f.since(*last, next, side, field), true
	case next != nil && next.write && next.before.Observed():
		return Stood{Shown{next.before}, true, fmt.Sprintf("run %d replaced it at %s", next.run, f.at(next.at))}, true
	case next != nil && next.write:
		return Stood{}, false // the record did not have the field yet
	case next != nil:
		if v := f.replacedAcross(side, field, next.at); v.Observed() {
			return Stood{Shown{v}, false, fmt.Sprintf("as it was last in step; it was changed there some time before %s, when is not known", f.at(next.at))}, true
		}
		return Stood{Shown{next.value}, false, fmt.Sprintf("seen by run %d at %s, and not known before", next.run, f.at(next.at))}, true
	}
	return Stood{Shown{now}, true, "nothing is known to have changed it since it was first seen"}, now.Observed()
}

// since returns what is known of a field between its last sight and the next one. It is not sure if the
// next sight, or the current value, shows that the field was changed in between.
func (f *Facts) since(last sight, next *sight, side record.Side, field string) Stood {
	how := fmt.Sprintf("run %d saw it at %s", last.run, f.at(last.at))
	if last.write {
		how = fmt.Sprintf("run %d wrote it at %s", last.run, f.at(last.at))
	}
	then, when := f.Sides[side].Fields[field], "since then"
	if next != nil {
		then, when = next.value, "before "+f.at(next.at)
		if next.write {
			then = next.before
		}
	}
	if then.Observed() && !then.Sealed() && !last.value.Sealed() && !then.Equal(last.value) {
		return Stood{Shown{last.value}, false, how + "; it was changed there some time " + when + ", when is not known"}
	}
	return Stood{Shown{last.value}, true, how}
}

// replacedAcross returns the value that a change to the other side replaced, when it carried a value from
// this side over at made. Both sides held that value while they were in step. It is Absent if there is no
// such change.
func (f *Facts) replacedAcross(side record.Side, field string, made time.Time) record.Value {
	for _, c := range f.Changes {
		if c.Side == side || c.State != record.Settled || !c.Made.Equal(made) {
			continue
		}
		for _, l := range c.Lines {
			if l.Field == field {
				return l.Before
			}
		}
	}
	return record.Value{}
}
