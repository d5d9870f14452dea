package plan

import "slices"

// Rule is a match rule by which a side may have a record already that is to be made there.
type Rule struct {
	Name  string
	Alike []string // native paths at which any two records that agree by the rule show the same; nil: none is known
	Tells bool     // the side refuses a second record that agrees by the rule
}

// Asking says how a side can be asked for a new record by one match rule. Each of Ways is a set of paths to ask
// by, and any one of them will do. Without Ways, only lists tell whether the record is there by that rule.
type Asking struct {
	Rule string
	Ways [][]string
}

// ByEveryRule returns what must be asked before a record is made, where no list proves that its side lacks it. A
// record that is there may agree by any one rule, so that an answer about one rule says nothing about another. An
// empty answer counts only if the question would have found every record that agrees by the rule: it may ask only
// by paths in Alike. Where no rule may know the record, nothing is asked, and nothing is proven either. sets has
// the sets of paths that the side can be asked by.
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

// finds reports whether a question by some paths finds every record that shows the same at the paths alike.
func finds(by, alike []string) bool {
	return len(by) > 0 && !slices.ContainsFunc(by, func(p string) bool { return !slices.Contains(alike, p) })
}
