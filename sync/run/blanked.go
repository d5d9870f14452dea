package run

import (
	"fmt"
	"slices"
)

// What may be a payment card is blanked, and nobody can tell what stood there. A record of which all
// match keys were blanked may be there already, so that it is held: nothing is made of it, and it is
// nobody's partner.

// BlankedWhy says of a field that it was blanked.
func BlankedWhy(fields string) string {
	return fmt.Sprintf("its %s holds what may be a payment card, and is blanked: it is neither compared nor written (privacy.blank)", fields)
}

// BlankedRules is the match rules whose key a record has and nobody can tell, since a part of it was blanked.
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
