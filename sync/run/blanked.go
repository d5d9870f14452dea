package run

import (
	"fmt"
	"slices"
)

// A value that may be a payment card is blanked, and then nobody can tell what stood there. If all
// match keys of a record were blanked, the record may be there already. So it is held: no record is
// made of it, and it is paired with no other.

// BlankedWhy is the sentence that says that fields of a record were blanked.
func BlankedWhy(fields string) string {
	return fmt.Sprintf("its %s holds what may be a payment card, and is blanked: it is neither compared nor written (privacy.blank)", fields)
}

// BlankedRules returns the match rules that use one of these fields. The record has a key for each of
// them, but nobody can tell which key, because a part of it was blanked.
func (r *Run) BlankedRules(fields []string) (rules []string) {
	if len(fields) == 0 {
		return nil
	}
	for _, rule := range r.Job.Match {
		if slices.ContainsFunc(rule, func(f string) bool { return slices.Contains(fields, f) }) {
			rules = append(rules, JoinFields(rule))
		}
	}
	return rules
}
