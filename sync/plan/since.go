package plan

import (
	"maps"

	"nightporter/sync/record"
)

// Stood returns what both sides of a case hold in the fields that an action writes: the native values, and whom a
// reference stands for.
func Stood(r Rules, c Case, a Action) (out [2]record.Fields) {
	for _, side := range record.Sides {
		out[side] = record.Fields{}
		for _, f := range a.Fields {
			takeInputs(r, c, side, f.Field, out[side])
		}
	}
	return out
}

// Since returns a case in which a person was asked about fields with a changed mapping. asked is the same case,
// with what both sides held at that time as its bases. A field that was edited since is more than the
// configuration asked for. It is decided against what stood at that time, like any other edit.
func Since(r Rules, c, asked Case, remapped map[string]bool) Case {
	edited := map[string]bool{}
	for f := range remapped {
		if asked.editedIn(f) {
			edited[f] = true
		}
	}
	own := maps.Clone(edited)
	for again := len(edited) > 0; again; { // fields that can't be written without an edited one go with it
		again = false
		for f := range remapped {
			for g := range edited {
				if !edited[f] && together(r, f, g) {
					edited[f], again = true, true
					break
				}
			}
		}
	}
	if len(edited) == 0 {
		return c
	}
	c.Edited = maps.Clone(edited)
	maps.DeleteFunc(c.Edited, func(f string, _ bool) bool { return !own[f] && c.differs(f) })
	for f := range edited {
		if c.SettledIn(f) || !asked.SettledIn(f) {
			continue
		}
		for side := range c.Sides {
			c.Sides[side].settleAs(r, record.Side(side), f, asked.Sides[side])
		}
	}
	return c
}

// SettledIn reports whether both sides have a base for a field.
func (c *Case) SettledIn(field string) bool {
	return c.Sides[record.Left].Settled[field].Known() && c.Sides[record.Right].Settled[field].Known()
}

// editedIn reports whether a side shows another value of a field than it was settled on.
func (c *Case) editedIn(field string) bool {
	if !c.SettledIn(field) {
		return false
	}
	for _, s := range c.Sides {
		if now := s.Now[field]; now.Observed() && !s.Settled[field].Same(s.Key, now) {
			return true
		}
	}
	return false
}

// settleAs takes over the base of a field from another view of the same side.
func (s *Side) settleAs(r Rules, side record.Side, field string, as Side) {
	s.Settled, s.Base = maps.Clone(s.Settled), maps.Clone(s.Base)
	s.Settled[field] = as.Settled[field]
	maps.Copy(s.Base, as.Base.Only(append(r.Mapping.Inputs(side, field), RefPath(field))))
}
