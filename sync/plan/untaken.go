package plan

import (
	"slices"

	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// Untaken is the policy of a conflict about a field that a system still shows as it was before
// our last write, though it answered that one.
const Untaken = "untaken"

// untaken asks a person about a field of which a side does not show what we last wrote to it. It
// answered that write: either it did nothing, or somebody put back what stood there before any
// read showed ours. Nobody can tell, so that it is neither brought across nor written again. It
// is no edit that stands against a new one of the other side, which goes over. What is decided
// together is held together.
func (c *Case) untaken(r Rules, ds []merge.Decision, i int) {
	d := &ds[i]
	if d.Reason == merge.Chosen || d.Act == merge.Pending { // what was chosen once and for all says nothing of this
		return
	}
	_, rejected := c.Kept[d.Field]
	for _, side := range record.Sides {
		unit := unitOf(ds, *d)
		if !slices.ContainsFunc(unit, func(f string) bool { return c.showsUntaken(r, side, f) }) {
			continue
		}
		now, across := c.Sides[side].Now[d.Field], c.Sides[side.Other()].Now[d.Field]
		switch {
		case now.Equal(across), now.Empty() && across.Empty(), !now.Observed(), !across.Observed():
		case slices.ContainsFunc(unit, func(f string) bool { return c.moved(side.Other(), f) && !c.showsUntaken(r, side.Other(), f) }):
			if rejected { // what was rejected is put back before anything else
				return
			}
			d.Act, d.Value, d.Loser, d.Reason = writeTo(side), across, record.Value{}, "it changed on "+the(side.Other())
		case now.Respells(across):
			d.Act, d.Value, d.Loser, d.Reason = merge.Adopt, record.Value{}, record.Value{}, the(side)+" spells it in its own way"
		default:
			held(d, Untaken, the(side)+" answered our change of it, and still shows what stood there before: "+
				"either it was not done, or somebody put it back")
		}
		return
	}
}

// unitOf is the fields that are decided together with one, itself among them.
func unitOf(ds []merge.Decision, d merge.Decision) []string {
	var out []string
	for _, x := range ds {
		if x.Field == d.Field || d.Group != "" && x.Group == d.Group {
			out = append(out, x.Field)
		}
	}
	return out
}

// showsUntaken reports whether side shows of a field what our last write replaced.
func (c *Case) showsUntaken(r Rules, side record.Side, field string) bool {
	return slices.ContainsFunc(r.Mapping.Inputs(side, field), func(p string) bool {
		return slices.Contains(c.Sides[side].Untaken, p)
	})
}

// moved reports whether side shows another value of a field than it was settled on.
func (c *Case) moved(side record.Side, field string) bool {
	s := c.Sides[side]
	return s.Now[field].Observed() && !s.Settled[field].Same(s.Key, s.Now[field])
}

func writeTo(side record.Side) merge.Act {
	if side == record.Left {
		return merge.WriteLeft
	}
	return merge.WriteRight
}
