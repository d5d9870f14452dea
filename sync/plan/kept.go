package plan

import (
	"slices"

	"nightporter/sync/merge"
	"nightporter/sync/record"
)

// keep turns a write that a person rejected into its opposite: the side that would have been written keeps its
// value, and the other side gets that value. Where the other side may not be written, or is to be left alone,
// both keep what they have until one of them changes.
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

// neverFilled reports whether a field is empty on side and was never settled there, so that nobody is known to
// have emptied it. If a person rejects that it is filled, the other side still keeps its value.
func (c *Case) neverFilled(side record.Side, field string, now record.Value) bool {
	return now.Empty() && !c.Sides[side].Settled[field].Known()
}

func the(s record.Side) string { return "the " + s.String() + " side" }

// directionOf says to which sides a field may be written. A group has the direction of its first field.
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

// Carries reports whether a field may be written to a side from the side across.
func (r Rules) Carries(field string, to record.Side) bool {
	return mayWrite(directionOf(r, field), to)
}

// Without splits an action: theirs writes the named fields, rest writes the others. A field that can't be written
// without a named one goes with theirs. Only an update of a linked record is split, and any other action is all
// theirs or all rest.
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
