package plan

import (
	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// action makes the change that carries out the decisions of one step. changed has the native values to be
// written.
func action(r Rules, c Case, side record.Side, op record.Op, ds []merge.Decision, changed record.Fields) Action {
	to, from := c.Sides[side], c.Sides[side.Other()]
	a := Action{
		Side: side, Link: c.Link, Entity: c.Entity, Source: from.Ref,
		Priority: r.Urgent, Day: r.DayOf(c),
		Change: record.Change{
			Op: op, Ref: to.Ref, Version: to.Version,
			Fields: record.Fields{}, Before: record.Fields{},
		},
		Bases: [2]record.Fields{{}, {}},
	}
	groups := map[string]bool{}
	for _, d := range ds {
		groups[d.Group] = d.Group != ""
		a.Fields = append(a.Fields, reasonOf(r, d, side))
		for _, p := range r.Touched(side, d.Field) {
			if v := changed[p]; v.Observed() {
				a.Change.Fields[p] = v
			}
			a.Change.Before[p] = to.Native[p]
		}
		if d.Act != merge.WriteBoth {
			takeInputs(r, c, side.Other(), d.Field, a.Bases[side.Other()])
		}
		if ref := d.Value; c.Parts[side][d.Field].Observed() || r.IsReference(d.Field) && ref.Empty() {
			a.Bases[side][RefPath(d.Field)] = ref
		}
	}
	SentAlong(r.Kinds[side], to, a.Change)
	r.GuardGroups(side, to.Native, groups, a.Change.Before)
	guardClashes(r, side, to, a.Fields, a.Change.Before)
	a.Reason, a.Warning = reason(r, side, ds), warning(r, to.Now, a.Fields)
	a.Risk = RiskOf(r.Status, a.Change, a.Fields)
	return a
}

// RefPath is the path under which a base keeps what a reference was resolved to.
// No system has such a path: it begins with an @.
func RefPath(field string) string { return "@" + field }

// IsReference reports whether a field names another record.
func (r Rules) IsReference(field string) bool {
	for _, f := range r.Mapping.Fields() {
		if f.Name == field {
			return f.Refer != ""
		}
	}
	return false
}

// DayOf is the day that makes a case urgent, "" when it has none.
func (r Rules) DayOf(c Case) string {
	if r.Day == "" {
		return ""
	}
	for _, s := range c.Sides {
		if d := s.Now[r.Day].Text(); d != "" {
			return d
		}
	}
	return ""
}
