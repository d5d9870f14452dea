package run

import (
	"slices"
	"strings"

	"nightporter/sync/record"
)

// Bereft is the links of which the record of one side is gone, or may be.
type Bereft struct {
	By     map[record.Key]record.Pair     // by the keys of the record across that have a reference in them
	Was    map[record.Key][]record.Pair   // by every key that one of the two records has, or had when they were in step
	Told   map[record.Entered]record.Pair // by a record that a person was told may be the one that is gone
	Hidden *record.Pair                   // a link with only digests of the record across; nil: none
}

// Refers reports whether a match rule has a field that names another record.
func (r *Run) Refers(rule string) bool {
	return slices.ContainsFunc(strings.Split(rule, "+"), func(f string) bool { return r.Refs[f] })
}
