package run

import (
	"slices"

	"nightporter/sync/record"
)

// Slice is how many changes that need no write to a system are stored at once.
const Slice = 250

// Limited reports whether only some of the plan is to be done.
func (r *Run) Limited() bool { return r.Options.Limit > 0 || r.Options.Plan != nil }

// Bringing names a value that a person chose and that is brought to one side.
type Bringing struct {
	Link  record.LinkID
	Side  record.Side
	Field string
}

// Everywhere reports whether a field was brought to each side that it is to be written to. It is false
// if a system refused the field.
func (d *Decided) Everywhere(field string, brought map[Bringing]bool) bool {
	if slices.Contains(d.Refused, field) {
		return false
	}
	for _, a := range d.Verdict.Actions {
		is := func(f record.FieldReason) bool { return f.Field == field }
		if slices.ContainsFunc(a.Fields, is) && !brought[Bringing{d.Link, a.Side, field}] {
			return false
		}
	}
	return true
}
