package plan

import "slices"

// Rule is a match rule by which a record may be known that is to be made on a side.
type Rule struct {
	Name  string
	Alike []string // native paths of that side at which two records show the same where they agree by it; nil: none is known
	Tells bool     // the side tells of a second such record by itself: it refuses it
}

// Asking is how a side is asked for a new record by one match rule: by any of these sets of
// paths. Without one, nothing but lists tells whether it is there by that rule.
type Asking struct {
	Rule string
	Ways [][]string
}

// ByEveryRule is what has to be asked before a record is made of which no list proves that
// its side lacks it. A record that is there may agree by any one rule, and no answer to another
// says anything of it. An empty answer speaks for a rule only if whatever agrees by the rule
// would have been found: the question is by nothing else than what is alike then. Where
// nothing is to be asked, no rule knows the record, and nothing is proven either.
func ByEveryRule(rules []Rule, sets [][]string) []Asking {
	var out []Asking
	for _, rule := range rules {
		if rule.Tells {
			continue
		}
		ask := Asking{Rule: rule.Name}
		for _, by := range sets {
			if finds(by, rule.Alike) {
				ask.Ways = append(ask.Ways, by)
			}
		}
		out = append(out, ask)
	}
	return out
}

// finds reports whether a question by a set of paths finds all that are alike at others.
func finds(by, alike []string) bool {
	return len(by) > 0 && !slices.ContainsFunc(by, func(p string) bool { return !slices.Contains(alike, p) })
}
