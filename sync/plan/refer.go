package plan

import (
	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// NamesNeither is the policy of a conflict about a reference of which a person chose a value that
// neither side shows.
const NamesNeither = "names_neither"

// namesNeither holds a reference that would be written as another than the side across names. What
// a side writes of a reference is worked out from whom the other one names: for anybody else there is
// nothing to write, and what there is would give each side the other's.
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
