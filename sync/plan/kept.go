package plan

import (
	"slices"

	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// keep turns a decision to write what a person rejected into its opposite: the side
// that would have been written keeps its value, and the other gets it. Where that may
// not be written, or is to be left alone, both keep what they have until one changes.
func (c *Case) keep(r Rules, d *merge.Decision) {
	side, ok := c.Kept[d.Field]
	if !ok || !d.Act.Writes(side) {
		return
	}
	keeps, loses := d.Left, d.Right
	back := merge.WriteRight
	if side == record.Right {
		keeps, loses, back = d.Right, d.Left, merge.WriteLeft
	}
	d.Policy, d.Value = merge.Person, record.Value{}
	if c.Left || c.Both[d.Field] || !keeps.Observed() || c.neverFilled(side, d.Field, keeps) || !mayWrite(directionOf(r, d.Field), side.Other()) {
		d.Act, d.Loser, d.Reason = merge.Adopt, record.Value{}, merge.Because("a person rejected the change, and both stay as they are")
		return
	}
	d.Act, d.Value, d.Loser = back, keeps, loses
	d.Reason = merge.Reason{Ground: merge.GroundRejected, Text: "a person rejected the change, and what " + the(side) + " holds stays"}
}

// neverFilled reports whether a side is empty in a field, and was never settled on a value there: nobody
// is known to have emptied it. A no to filling it takes nothing from the other side.
func (c *Case) neverFilled(side record.Side, field string, now record.Value) bool {
	return now.Empty() && !c.Sides[side].Settled[field].Known()
}

func the(s record.Side) string { return "the " + s.String() + " side" }

// directionOf is where a field may be written; of a group it is the first field's.
func directionOf(r Rules, field string) merge.Direction {
	i := slices.IndexFunc(r.Merge, func(m merge.Rule) bool { return m.Field == field })
	if i < 0 {
		return merge.Both
	}
	if g := r.Merge[i].Group; g != "" {
		i = slices.IndexFunc(r.Merge, func(m merge.Rule) bool { return m.Group == g })
	}
	return r.Merge[i].To
}

// Carries reports whether what stands across in a field is written to a side.
func (r Rules) Carries(field string, to record.Side) bool {
	return mayWrite(directionOf(r, field), to)
}

// Without parts an action: what of it writes the fields, and what writes the others.
// What can't be written one without the other goes with the fields. Only an update has
// parts.
func Without(r Rules, a Action, fields map[string]bool) (theirs, rest []Action) {
	if a.Change.Op != record.Update || a.Link == 0 {
		if slices.ContainsFunc(a.Fields, func(f record.FieldReason) bool { return fields[f.Field] }) {
			return []Action{a}, nil
		}
		return nil, []Action{a}
	}
	var in, out []string
	for _, p := range Parts(r, a) {
		if slices.ContainsFunc(p, func(f string) bool { return fields[f] }) {
			in = append(in, p...)
		} else {
			out = append(out, p...)
		}
	}
	if len(in) == 0 {
		return nil, []Action{a}
	}
	if len(out) == 0 {
		return []Action{a}, nil
	}
	return []Action{Only(r, a, in)}, []Action{Only(r, a, out)}
}
