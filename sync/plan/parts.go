package plan

import (
	"maps"
	"slices"

	"nightporter/sync/record"
)

// Parts splits the fields of an update into groups that can be sent without each other. Fields are in one group
// if the rules decide them together, if they share a native path on either side, or if a side takes one only with
// the other. The groups are in the order of the fields that complete them.
func Parts(r Rules, a Action) [][]string {
	var parts [][]string
	if a.Change.Op == record.Action { // it is one request: what goes along with the status can't be sent alone
		return [][]string{reasonNames(a.Fields)}
	}
	for _, f := range a.Fields {
		mine := []string{f.Field}
		rest := parts[:0]
		for _, p := range parts {
			if slices.ContainsFunc(p, func(g string) bool { return together(r, f.Field, g) }) {
				mine = append(p, mine...)
				continue
			}
			rest = append(rest, p)
		}
		parts = append(rest, mine)
	}
	return parts
}

func reasonNames(fields []record.FieldReason) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Field
	}
	return names
}

// together reports whether two fields can't be written one without the other.
func together(r Rules, f, g string) bool {
	if group := r.GroupOf(f); group != "" && group == r.GroupOf(g) {
		return true
	}
	for _, side := range record.Sides {
		if k := r.Kinds[side]; k.needed(r, side, f, g) || k.needed(r, side, g, f) {
			return true
		}
		theirs := r.Touched(side, g)
		if slices.ContainsFunc(r.Touched(side, f), func(p string) bool { return slices.Contains(theirs, p) }) {
			return true
		}
	}
	return false
}

// GroupOf returns the group with which a field is decided and written, "" for none.
func (r Rules) GroupOf(field string) string {
	for _, rule := range r.Merge {
		if rule.Field == field {
			return rule.Group
		}
	}
	return ""
}

// Only returns an update that writes just some fields of another update and leaves the rest to be done. fields
// must be one or several of its Parts.
func Only(r Rules, a Action, fields []string) Action {
	out := a
	out.Fields = nil
	out.Change.Fields, out.Change.Before = record.Fields{}, record.Fields{}
	out.Bases = [2]record.Fields{{}, {}}
	groups := map[string]bool{}
	for _, f := range a.Fields {
		if !slices.Contains(fields, f.Field) {
			continue
		}
		out.Fields = append(out.Fields, f)
		if g := r.GroupOf(f.Field); g != "" {
			groups[g] = true
		}
		maps.Copy(out.Change.Fields, a.Change.Fields.Only(r.Touched(a.Side, f.Field)))
		maps.Copy(out.Change.Before, a.Change.Before.Only(r.Touched(a.Side, f.Field)))
		for _, side := range record.Sides {
			maps.Copy(out.Bases[side], a.Bases[side].Only(append(r.Mapping.Inputs(side, f.Field), RefPath(f.Field))))
		}
	}
	for _, rule := range r.Merge {
		if groups[rule.Group] {
			maps.Copy(out.Change.Before, a.Change.Before.Only(r.Mapping.Inputs(a.Side, rule.Field)))
		}
	}
	guardClashes(r, a.Side, Side{Native: a.Change.Before}, out.Fields, out.Change.Before)
	for _, n := range r.Kinds[a.Side].Needs {
		if n.sets(out.Change.Fields) {
			maps.Copy(out.Change.Fields, a.Change.Fields.Only(n.With))
			maps.Copy(out.Change.Before, a.Change.Before.Only(n.With))
		}
	}
	out.Reason = differs(r, a.Side, fields)
	if a.Risk != RiskMapping && a.Risk != RiskRedone {
		out.Risk = RiskOf(r.Status, out.Change, out.Fields)
	}
	return out
}
