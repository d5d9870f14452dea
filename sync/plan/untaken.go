package plan

import (
	"maps"
	"slices"

	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// Untaken is the policy of a conflict about a field that a system still shows as it was before our last write,
// though the system answered that write.
const Untaken = "untaken"

// untaken asks a person about a field in which a side does not show what we last wrote to it, though it answered
// the write. Either the write did nothing, or somebody put the old value back before any read showed ours. Nobody
// can tell, so the old value is neither brought across nor written over. What becomes of a new edit of the other side
// is decided by doubtTaken. Fields that are decided together are held together.
func (c *Case) untaken(r Rules, ds []merge.Decision, i int) {
	d := &ds[i]
	if d.Reason.Ground == merge.GroundChosen || d.Reason.Ground == merge.GroundLeft || d.Act == merge.Pending { // a choice that was made once and for all does not count here
		return
	}
	for _, side := range record.Sides {
		unit := unitOf(ds, *d)
		if !slices.ContainsFunc(unit, func(f string) bool { return c.showsUntaken(r, side, f) }) {
			continue
		}
		now, across := c.Sides[side].Now[d.Field], c.Sides[side.Other()].Now[d.Field]
		switch {
		case !now.Observed(), !across.Observed():
		case now.Equal(across), now.Empty() && across.Empty():
			if d.Act == merge.Keep { // what we sent is forgotten
				d.Act, d.Reason = merge.Adopt, merge.BothSame()
			}
		case slices.ContainsFunc(unit, func(f string) bool { return c.editedAnew(r, side.Other(), f) }):
			// A new edit: doubtTaken has decided.
		case now.Respells(across):
			d.Act, d.Value, d.Loser, d.Reason = merge.Adopt, record.Value{}, record.Value{}, merge.Because(the(side)+" spells it in its own way")
		default:
			held(d, Untaken, the(side)+" does not show what it was sent last: either that was not done, or somebody has changed it since")
		}
		return
	}
}

// isOne reports whether two decisions are taken and carried out as one: they are of one field, or of one group.
func isOne(a, b merge.Decision) bool {
	return a.Field == b.Field || a.Group != "" && a.Group == b.Group
}

// unitOf returns the fields that are decided together with a field, that field among them.
func unitOf(ds []merge.Decision, d merge.Decision) []string {
	var out []string
	for _, x := range ds {
		if isOne(x, d) {
			out = append(out, x.Field)
		}
	}
	return out
}

// showsUntaken reports whether side still shows a field as it was when we found that a write to it was not done.
func (c *Case) showsUntaken(r Rules, side record.Side, field string) bool {
	s := c.Sides[side]
	shows := false
	for _, p := range r.Mapping.Inputs(side, field) {
		switch was := s.Untaken[p]; {
		case !was.Observed():
		case s.Native[p].Equal(was), s.Native[p].Empty() && was.Empty(), s.Native[p].Respells(was):
			shows = true
		default:
			return false
		}
	}
	return shows
}

// doubtTaken decides about fields with a write that was not done as far as any read tells. There are two
// possibilities. If the write was done, and the value was put back or changed since, the bases hold: that gave
// the decisions done. If it never was, both sides were last in step on what was shown then: that gave the
// decisions never. A field for which both give the same is decided. About any other a person is asked.
func (c *Case) doubtTaken(r Rules, done, never []merge.Decision) []merge.Decision {
	for i := range never {
		d := &never[i]
		for _, side := range record.Sides {
			if !c.wasUntaken(r, side, d.Field) {
				continue
			}
			now, across := c.Sides[side].Now[d.Field], c.Sides[side.Other()].Now[d.Field]
			stands := c.showsUntaken(r, side, d.Field)
			switch {
			case byPerson(*d), d.Reason.Ground == merge.GroundLeft, d.Act == done[i].Act, d.Act == merge.Pending:
			case now.Equal(across), now.Empty() && across.Empty():
			case stands && !slices.ContainsFunc(unitOf(never, *d), func(f string) bool { return c.editedAnew(r, side.Other(), f) }):
				// The other side did not move: see untaken.
			case stands:
				held(d, Untaken, "it was changed on "+the(side.Other())+", and "+the(side)+
					" does not show what it was sent before: either that was not done, or somebody has changed it since")
			default:
				held(d, Untaken, "it was changed on "+the(side)+", and whether what we sent there before was done is not known")
			}
		}
	}
	return never
}

// wasUntaken reports whether a write of a field to side was not done, as far as any read tells.
func (c *Case) wasUntaken(r Rules, side record.Side, field string) bool {
	return slices.ContainsFunc(r.Mapping.Inputs(side, field), func(p string) bool { return c.Sides[side].Untaken[p].Observed() })
}

// neverThere returns the bases of side as they would be if the writes that seem not done never were. In such a
// field, both sides were last in step on the value that was shown when we found that out.
func (c *Case) neverThere(r Rules, side record.Side) map[string]record.Stored {
	base := maps.Clone(c.Sides[side].Settled)
	if base == nil { // the side meets the other for the first time
		return nil
	}
	for _, from := range []record.Side{side.Other(), side} { // the side's own values replace those of the other
		for f, v := range c.shownThen(r, from) {
			base[f] = record.Keep(v)
		}
	}
	return base
}

// shownThen returns the canonical fields in which a write to side was not done, each with the value that side
// showed then. A reference that is another one by now is left out: nobody knows whom it meant then.
func (c *Case) shownThen(r Rules, side record.Side) record.Fields {
	s, out := c.Sides[side], record.Fields{}
	then, _ := r.Mapping.Read(side, s.Base.With(s.Untaken))
	for _, f := range r.Mapping.Fields() {
		v := then[f.Name]
		switch {
		case !c.wasUntaken(r, side, f.Name):
			continue
		case c.showsUntaken(r, side, f.Name):
			v = s.Now[f.Name]
		case r.IsReference(f.Name):
			continue
		}
		if v.Observed() {
			out[f.Name] = v
		}
	}
	return out
}

// editedAnew reports whether side shows an edit of a field that nobody was asked about. Their answer may have reached
// the other side alone, and somebody has undone it there: then the edit that they decided against is no new one.
func (c *Case) editedAnew(r Rules, side record.Side, field string) bool {
	q, asked := c.Asked[field]
	known := asked && c.Sides[side].Now[field].Equal([2]record.Value{q.Left, q.Right}[side])
	return c.moved(side, field) && !known && !c.showsUntaken(r, side, field)
}

// moved reports whether side shows another value of a field than it was settled on.
func (c *Case) moved(side record.Side, field string) bool {
	s := c.Sides[side]
	return s.Now[field].Observed() && !s.Settled[field].Same(s.Key, s.Now[field])
}
