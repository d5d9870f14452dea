package plan

import (
	"slices"

	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// Span is the canonical fields of the first and the last day of a dated kind: arrival and departure,
// start and end. The zero Span is of a kind that has none.
type Span [2]string

// Backwards is the policy of a conflict about days that would end before they begin.
const Backwards = "backwards"

// Of is the first and the last day that a record shows; both are not observed where one is not, or is
// empty.
func (s Span) Of(f record.Fields) (days [2]record.Value) {
	first, last := f[s[0]], f[s[1]]
	if s == (Span{}) || !first.Observed() || !last.Observed() || first.Empty() || last.Empty() {
		return days
	}
	return [2]record.Value{first, last}
}

// Backwards reports whether a record shows days that end before they begin. Two that are not spelt
// alike, a day and a moment, are not compared.
func (s Span) Backwards(f record.Fields) bool {
	days := s.Of(f)
	first, last := days[0].Text(), days[1].Text()
	return len(first) == len(last) && last < first
}

// Joins reports whether days end before they begin because each is another's: no side shows the two.
// What a user entered so on one side is theirs to mend, and goes over like any other edit.
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

// backwards holds days that would end before they begin on side, be they typed by a person or brought
// together from both sides.
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
