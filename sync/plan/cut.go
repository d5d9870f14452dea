package plan

import (
	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// CutShort is the policy of a conflict about a field where one side keeps only the beginning of the value, and
// where that beginning was edited.
const CutShort = "cut"

// cutShort asks a person before a value that its system cut, and that was edited there, is written over the whole
// one. Whoever edited it never saw the rest, and the rest would be gone.
func (c *Case) cutShort(d *merge.Decision) {
	for _, side := range record.Sides {
		if d.Act != writeTo(side) || byPerson(*d) || d.Value.Empty() {
			continue
		}
		whole, here := c.Sides[side].Settled[d.Field].Plain()
		cut, there := c.Sides[side.Other()].Settled[d.Field].Plain()
		if here && there && cut.Cuts(whole) && c.Sides[side].Now[d.Field].Equal(whole) {
			held(d, CutShort, the(side.Other())+" keeps the beginning of it alone, and was edited: "+the(side)+" would lose the rest")
			return
		}
	}
}

func writeTo(side record.Side) merge.Act {
	if side == record.Left {
		return merge.WriteLeft
	}
	return merge.WriteRight
}
