package plan

import (
	"slices"

	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// Tried is the cause of a question about a field that held another value after our first update of its record,
// though the update was not sent that field.
const Tried = "trial"

// Emptied is the cause of a question about a field that is empty on a side where a person allows our updates
// although they empty fields that they are not sent.
const Emptied = "emptied"

// emptied asks a person before a field is emptied across because it is empty on such a side. Our own update may
// have emptied it, and what our update did to a record never travels. The other fields of its group wait with it.
func (c *Case) emptied(ds []merge.Decision, i int) {
	d := &ds[i]
	if byPerson(*d) || d.Reason.Ground == merge.GroundLeft {
		return
	}
	for _, side := range record.Sides {
		if d.Act.Writes(side.Other()) && slices.ContainsFunc(ds, func(o merge.Decision) bool {
			return isOne(o, *d) && c.emptiedOn(side, o.Field)
		}) {
			held(d, Emptied, "it is empty on "+the(side)+", where our own updates empty what they are not sent: nobody knows that a user emptied it")
		}
	}
}

// emptiedOn reports whether a field is empty on side, perhaps by our own update, and not on the other side.
func (c *Case) emptiedOn(side record.Side, field string) bool {
	now, across := c.Sides[side].Now[field], c.Sides[side.Other()].Now[field]
	return (c.Empties[side] || c.Asked[field].Cause == Emptied) && now.Observed() && now.Empty() && !across.Empty()
}

// Unanswered is the cause of a question about a field that a write without an answer was to set. Nobody can tell
// whether the value there is from before the write, from the write itself, or was entered since.
const Unanswered = "unanswered"

// WhyChanged is why a person is asked about a field that changed around an update of ours.
func WhyChanged(cause record.Cause) string {
	if cause == Unanswered {
		return "our write of its record was not answered: what stands there may be from before it, from the write itself, or entered since"
	}
	return "it held another value, or none, after our first update of its record, which did not name it: either somebody edited it meanwhile, or the update changed it"
}

// tried asks a person about a field that changed while a trial was under way, or around a write without an
// answer. It asks about the rest of its group, too. Nobody can tell who changed the field, or when: it is neither
// brought across nor written over.
func (c *Case) tried(ds []merge.Decision, i int) {
	d := &ds[i]
	if byPerson(*d) || d.Reason.Ground == merge.GroundLeft || d.Act == merge.Pending || !c.differs(d.Field) {
		return
	}
	if cause := c.triedBy(*d); cause != "" {
		held(d, cause, WhyChanged(cause))
		return
	}
	if d.Group == "" || !d.Act.Writes(record.Left) && !d.Act.Writes(record.Right) {
		return
	}
	for _, o := range ds {
		if cause := c.triedBy(o); o.Group == d.Group && cause != "" && !byPerson(o) && c.differs(o.Field) {
			held(d, cause, "it is one with "+o.Field+", of which a person is asked: "+WhyChanged(cause))
			return
		}
	}
}

// triedBy is the cause for which a person is asked about a field that changed around a write of ours, "" for none.
// A record that our create without an answer may have made is not written over where it differs from what was sent.
// Its value may still be brought across, if the rule of the field says so.
func (c *Case) triedBy(d merge.Decision) record.Cause {
	if cause := c.Asked[d.Field].Cause; cause == Tried || cause == Unanswered {
		return cause
	}
	for _, side := range record.Sides {
		if c.Sides[side].Unlike[d.Field] && d.Act.Writes(side) {
			return Unanswered
		}
	}
	return ""
}

// differs reports whether both sides show a field, with values that are not the same.
func (c *Case) differs(field string) bool {
	left, right := c.Sides[record.Left].Now[field], c.Sides[record.Right].Now[field]
	return left.Observed() && right.Observed() && !left.Equal(right)
}
