package plan

import (
	"slices"

	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// Span is the canonical fields of the first and the last day of a dated kind: arrival and departure, start and
// end. The zero Span is for a kind without days.
type Span [2]string

// Backwards is the policy of a conflict about days that would end before they begin.
const Backwards = "backwards"

// has reports whether a field is the first or the last day.
func (s Span) has(field string) bool { return field != "" && (field == s[0] || field == s[1]) }

// Of returns the first and the last day that a record shows. Where one of them is not shown, or is empty, it
// returns neither.
func (s Span) Of(f record.Fields) (days [2]record.Value) {
	first, last := f[s[0]], f[s[1]]
	if s == (Span{}) || !first.Observed() || !last.Observed() || first.Empty() || last.Empty() {
		return days
	}
	return [2]record.Value{first, last}
}

// Backwards reports whether a record shows days that end before they begin. Two that are spelt differently, a day
// and a moment, are not compared.
func (s Span) Backwards(f record.Fields) bool {
	days := s.Of(f)
	first, last := days[0].Text(), days[1].Text()
	return len(first) == len(last) && last < first
}

// Joins reports whether days end before they begin because they were joined from two records: no side shows the
// two together. If a user entered such days on one side, they are written across like any other edit, and are the
// user's to mend.
func (s Span) Joins(f record.Fields, sides ...record.Fields) bool {
	if !s.Backwards(f) {
		return false
	}
	days := s.Of(f)
	return !slices.ContainsFunc(sides, func(side record.Fields) bool {
		theirs := s.Of(side)
		return theirs[0].Equal(days[0]) && theirs[1].Equal(days[1])
	})
}

// backwards holds days that would end before they begin on side, whether a person typed them or they come from
// both sides.
func (c *Case) backwards(r Rules, ds []merge.Decision, side record.Side) {
	if !r.Span.Joins(c.after(ds, side), c.Sides[record.Left].Now, c.Sides[record.Right].Now) {
		return
	}
	for i := range ds {
		if d := &ds[i]; slices.Contains(r.Span[:], d.Field) && d.Act.Writes(side) {
			held(d, Backwards, r.Span[1]+" would be before "+r.Span[0]+" on "+the(side))
		}
	}
}
