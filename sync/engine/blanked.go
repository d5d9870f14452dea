package engine

import (
	"fmt"
	"slices"
	"strings"
)

// What may be a payment card is blanked, and nobody can tell what stood there. A record of which all
// match keys were blanked may be there already, so that it is held: nothing is made of it, and it is
// nobody's partner.

// blankedWhy says of a field that it was blanked.
func blankedWhy(fields string) string {
	return fmt.Sprintf("its %s holds what may be a payment card, and is blanked: it is neither compared nor written (privacy.blank)", fields)
}

// keysBlanked says why a record that can't be recognised is held, "" where something tells it or nothing
// of it was blanked.
func keysBlanked(s stranger) string {
	if len(s.keys) > 0 {
		return ""
	}
	if len(s.blanked) == 0 {
		return ""
	}
	return blankedWhy(strings.Join(s.blanked, ", ")) + ", so that nobody can tell whether it is there already"
}

// blankedRules is the match rules whose key a record has and nobody can tell, since a part of it was blanked.
func (r *run) blankedRules(fields []string) (rules []string) {
	if len(fields) == 0 {
		return nil
	}
	for _, rule := range r.job.Match {
		if slices.ContainsFunc(rule, func(f string) bool { return slices.Contains(fields, f) }) {
			rules = append(rules, joinFields(rule))
		}
	}
	return rules
}
