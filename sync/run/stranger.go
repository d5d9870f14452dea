package run

import (
	"strings"

	"nightporter/sync/record"
)

// ResolvedOnly returns a record without the references that name no entity: they tell no record from another.
func ResolvedOnly(now record.Fields) record.Fields {
	out := make(record.Fields, len(now))
	for f, v := range now {
		if !IsMarker(v) {
			out[f] = v
		}
	}
	return out
}

// RuleNames names each match rule by its fields, in their order.
func (r *Run) RuleNames() []string {
	names := make([]string, len(r.Job.Match))
	for i, fields := range r.Job.Match {
		names[i] = JoinFields(fields)
	}
	return names
}

// UniqueRules returns, by side, the match rules with a key that the side itself keeps unique.
func (r *Run) UniqueRules() [2]map[string]bool {
	out := [2]map[string]bool{{}, {}}
	for _, side := range record.Sides {
		for _, fields := range r.Job.Match {
			if r.KeptUnique(side, fields) {
				out[side][JoinFields(fields)] = true
			}
		}
	}
	return out
}

// KeptUnique reports whether a side refuses two records that agree in these fields.
func (r *Run) KeptUnique(side record.Side, fields []string) bool {
	have := map[string]bool{}
	for _, f := range fields {
		for _, p := range r.Job.Mapping.Inputs(side, f) {
			have[p] = true
		}
	}
	for _, set := range r.Side(side).Can.Unique {
		all := len(set) > 0
		for _, p := range set {
			all = all && have[p]
		}
		if all {
			return true
		}
	}
	return false
}

// JoinFields is the name of a rule of several fields.
func JoinFields(fields []string) string { return strings.Join(fields, "+") }
