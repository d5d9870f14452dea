package run

import (
	"slices"
	"strings"

	"nightporter/sync/record"
)

// Bereft is the links of which a side's record is gone, or may be.
type Bereft struct {
	By     map[record.Key]record.Pair     // by those keys of the record across that name others
	Was    map[record.Key][]record.Pair   // by every key that either record of it has, or had when they were in step
	Told   map[record.Entered]record.Pair // by what a person was told of that may be the record that is gone
	Hidden *record.Pair                   // one of them of whose record across only digests are known; nil: none
}

// Refers reports whether a match rule has a field that names another record.
func (r *Run) Refers(rule string) bool {
	return slices.ContainsFunc(strings.Split(rule, "+"), func(f string) bool { return r.Refs[f] })
}
