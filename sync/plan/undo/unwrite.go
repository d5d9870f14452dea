package undo

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"nightporter/sync/mapping"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// unwrite puts back what updates of the run replaced, unit by unit: the fields that
// are one in the rules, or that share a path, are put back together or not at all.
func (u *Undoing) unwrite(r plan.Rules) Undone {
	kind := r.Kinds[u.Side]
	switch why := kind.RefusesUpdate(); {
	case !u.There:
		return u.beyond(record.Update, "it is not there any more")
	case why != "":
		return u.beyond(record.Update, why)
	}
	var out Undone
	fields, status := u.step(record.Update), u.step(record.Action)
	image := u.Image()
	before, lost := u.translated(r, u.Before(), u.Was)
	renamed, _ := u.translated(r, image, u.Wrote) // with whom the run named, as they are named now
	for _, part := range u.units(r, image) {
		switch {
		case u.holds(r, part.fields, part.paths, before):
			out.Already++
		case !u.holds(r, part.fields, part.paths, image) && !u.holds(r, part.fields, part.paths, renamed):
			out.Conflicts = append(out.Conflicts, u.edited(r, part, image)...)
		default:
			if why := u.putBack(r, part, before, lost, &fields, &status); why != "" {
				out.Beyond = append(out.Beyond, Beyond{Side: u.Side, Ref: u.Ref, Op: record.Update, Why: why})
			}
		}
	}
	for _, a := range []plan.Action{fields, status} {
		if len(a.Change.Fields) > 0 {
			out.Actions = append(out.Actions, a)
		}
	}
	return out
}

// putBack adds a unit to the change of the fields, and to the change of the status where the system has a request
// of its own for it. It returns why the unit can't be put back, or the part of it that is no status; "" where it
// can.
func (u *Undoing) putBack(r plan.Rules, x unit, before record.Fields, lost map[string]string, fields, status *plan.Action) string {
	values, why := u.restored(x, before)
	for _, f := range x.fields {
		why = cmp.Or(lost[f], why)
	}
	if why != "" {
		return why
	}
	kind := r.Kinds[u.Side]
	if s := values[kind.Status]; kind.Status != "" && s.Observed() {
		u.put(r, status, x, record.Fields{kind.Status: s})
		delete(values, kind.Status)
	}
	switch {
	case len(values) == 0:
		return ""
	case kind.NoUpdate:
		return kind.NeverChanges()
	}
	u.put(r, fields, x, values)
	return ""
}

// step returns an empty change of the record as it is now.
func (u *Undoing) step(op record.Op) plan.Action {
	return plan.Action{
		Change: record.Change{Op: op, Ref: u.Ref, Version: u.Version, Fields: record.Fields{}, Before: record.Fields{}},
		Bases:  [2]record.Fields{{}, {}},
	}
}

// unit is a set of fields that are put back together or not at all.
type unit struct {
	fields  []string // canonical; none where the rules do not have the field any more
	reasons []record.FieldReason
	paths   []string // written by the run
}

// units returns what the run wrote, split into units.
func (u *Undoing) units(r plan.Rules, image record.Fields) []unit {
	reasons := map[string]record.FieldReason{}
	var order []record.FieldReason
	for _, m := range u.Made {
		for _, f := range m.Fields {
			was, known := reasons[f.Field]
			if !known {
				order = append(order, f)
				was = f
			}
			was.After = f.After
			reasons[f.Field] = was
		}
	}
	left := maps.Clone(image)
	var out []unit
	for _, part := range plan.Parts(r, plan.Action{Fields: order}) {
		var x unit
		for _, f := range part {
			x.fields, x.reasons = append(x.fields, f), append(x.reasons, reasons[f])
			for _, p := range r.Touched(u.Side, f) {
				if _, written := left[p]; written {
					x.paths = append(x.paths, p)
					delete(left, p)
				}
			}
		}
		if len(x.paths) > 0 {
			out = append(out, x)
		}
	}
	for _, p := range left.Names() { // of fields that the rules do not have any more
		out = append(out, unit{paths: []string{p}, reasons: []record.FieldReason{{Field: p}}})
	}
	return out
}

// restored returns the values that put a unit back, or why they are not known.
func (u *Undoing) restored(x unit, before record.Fields) (values record.Fields, why string) {
	values = record.Fields{}
	emptied := slices.ContainsFunc(x.reasons, func(f record.FieldReason) bool { return f.Before.Empty() })
	for _, p := range x.paths {
		v := before[p]
		switch {
		case v.Sealed():
			return nil, fmt.Sprintf("only a digest is kept of what its %s was", x.reasons[0].Field)
		case v.Observed():
			values[p] = v
		case emptied:
			values[p] = record.Nothing()
		default:
			return nil, fmt.Sprintf("nobody had seen what its %s was", x.reasons[0].Field)
		}
	}
	return mapping.Shown(values), ""
}

// put adds a unit to a change.
func (u *Undoing) put(r plan.Rules, a *plan.Action, x unit, values record.Fields) {
	a.Change.Fields = a.Change.Fields.With(values)
	groups := map[string]bool{}
	for _, f := range x.reasons {
		for _, p := range r.Touched(u.Side, f.Field) {
			a.Change.Before[p] = u.Now[p]
		}
		if g := r.GroupOf(f.Field); g != "" {
			groups[g] = true
		}
		if r.IsReference(f.Field) && f.Before.Observed() {
			a.Bases[u.Side][plan.RefPath(f.Field)] = f.Before
		}
		a.Fields = append(a.Fields, record.FieldReason{
			Field: f.Field, Policy: plan.UndoPolicy, Before: f.After, After: f.Before, Reason: u.reason(),
		})
	}
	for _, p := range x.paths {
		a.Change.Before[p] = u.Now[p]
	}
	r.GuardGroups(u.Side, u.Now, groups, a.Change.Before)
}
