package run

import (
	"slices"
	"strings"

	"nightporter/sync/mapping"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// Covers reports whether a list of a scope would show the record that is to be created: the scope is
// not limited, or is today's window, or all days of the record lie within it. The window moves each
// day: yesterday's list says nothing of the last day of today's window.
func (r *Run) Covers(to record.Side, scope string, a plan.Action) bool {
	if scope == "" || scope == r.Scope(to).String() {
		return true
	}
	first, last := r.days(to, a.Change.Fields)
	from, till, ok := strings.Cut(scope, "..")
	return ok && first != "" && last != "" && from <= first && last <= till
}

// AlikeAt returns the paths at which records of a side hold the same values if they agree by a match
// rule; nil if they are not known for all fields of the rule.
func (r *Run) AlikeAt(side record.Side, rule []string) (out []string) {
	for _, f := range rule {
		paths, ok := r.Job.Mapping.Alike(side, f)
		if !ok {
			return nil
		}
		out = append(out, paths...)
	}
	return out
}

// Telling returns the sets of paths by which a look-up tells whether a record is there. If a system can
// look up by any column, only match rules count in which every value has one spelling: a phone or a
// name may be there in another spelling.
func (r *Run) Telling(side record.Side) [][]string {
	can := r.Side(side).Can
	if !can.FindAny {
		return can.FindBy
	}
	exact := map[string]bool{}
	for _, f := range r.Job.Mapping.Fields() {
		switch f.Type {
		case mapping.Date, mapping.Enum, mapping.Number, mapping.Instant:
			exact[f.Name] = true
		case mapping.Reference:
			exact[f.Name] = r.Job.Mapping.PartPath(side, f.Name, mapping.PartID) != ""
		}
	}
	var sets [][]string
	for _, rule := range r.Job.Match {
		by := r.AlikeAt(side, rule)
		if len(by) > 0 && !slices.ContainsFunc(rule, func(f string) bool { return !exact[f] }) {
			sets = append(sets, by)
		}
	}
	return sets
}

// Pick returns the fields at the paths that hold something.
func Pick(f record.Fields, paths []string) record.Fields {
	out := record.Fields{}
	for _, p := range paths {
		if v := f[p]; v.Observed() && !v.Empty() {
			out[p] = v
		}
	}
	return out
}
