package plan

import (
	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// CutShort is the policy of a conflict about a field of which one side keeps no more than the
// beginning, and was edited.
const CutShort = "cut"

// cutShort asks a person before an edit of a value that its system cut is written over the whole one:
// who made it never saw the rest, and it would be gone.
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
