package plan

import (
	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// NamesNeither is the policy of a conflict about a reference for which a person chose a value that neither side
// shows.
const NamesNeither = "names_neither"

// NamesNobody is the policy of a conflict about a reference by which one side names somebody whom nobody knows.
const NamesNobody = "names_nobody"

// namesNobody holds a reference by which a side names somebody whom nobody knows. Nothing of that can be written to
// the side across, whatever a person chose. That the other side stands is decided by a person, or by a rule that has
// the field written one way.
func (c *Case) namesNobody(r Rules, d *merge.Decision) {
	for _, side := range record.Sides {
		why := c.Unknown[side][d.Field]
		switch {
		case why == "":
		case d.Act.Writes(side.Other()):
			held(d, NamesNobody, why)
		case d.Act == merge.Keep, d.Act == merge.Adopt, byPerson(*d), directionOf(r, d.Field) != merge.Both:
		default:
			held(d, NamesNobody, why)
		}
	}
}

// namesNeither holds a reference that would be written with another value than the side across shows. Case.Parts
// only has how to name the record that the side across names. For anybody else there is nothing to write, and
// with Parts each side would get the reference of the other.
func (c *Case) namesNeither(r Rules, d *merge.Decision) {
	if !r.IsReference(d.Field) {
		return
	}
	for _, side := range record.Sides {
		if d.Act.Writes(side) && !d.Value.Equal(c.Sides[side.Other()].Now[d.Field]) {
			held(d, NamesNeither, "whom it names can't be given as a value: choose one of the two sides, or edit one of the records")
			return
		}
	}
}
