package merge

import (
	"time"

	"nightporter/sync/record"
)

// Side is one record of a link, in canonical fields.
type Side struct {
	Now     record.Fields            // what is seen; a missing name was not shown
	Base    map[string]record.Stored // what was seen when the field was last settled
	Key     []byte                   // the key that digests in Base were made with
	Changed time.Time                // the system's own time of the record's last change; zero: unknown
}

func (s *Side) seen(field string) Seen {
	return Seen{Now: s.Now[field], Base: s.Base[field], Key: s.Key, Changed: s.Changed}
}

// Merge decides every field of a link. It returns one decision for each rule, in the order
// of the rules. What is decided depends neither on that order nor on which record is called
// left, beyond the names of the sides.
//
// choices are what people decided about held fields, by field. skew is how far the two
// systems' clocks may be apart; a negative skew says that they can't be compared.
//
// Once the decisions are carried out, another Merge writes nothing.
func Merge(rules []Rule, left, right Side, choices map[string]Choice, skew time.Duration) []Decision {
	decisions := make([]Decision, len(rules))
	done := make([]bool, len(rules))
	for i := range rules {
		if done[i] {
			continue
		}
		if rules[i].Once {
			decisions[i] = Decision{Field: rules[i].Field, Act: Adopt, Reason: Because("it is given once, with a new record")}
			continue
		}
		members := together(rules, i)
		fields := make([]field, len(members))
		for n, m := range members {
			name := rules[m].Field
			fields[n] = field{rule: &rules[m], seen: [2]Seen{left.seen(name), right.seen(name)}}
		}
		for n, d := range newUnit(fields, skew).decisions(choices) {
			decisions[members[n]], done[members[n]] = d, true
		}
	}
	return decisions
}

// together returns the indexes of the rules that are decided as one with rule i: the rules
// of its group from i on, or only i.
func together(rules []Rule, i int) []int {
	if rules[i].Group == "" {
		return []int{i}
	}
	var members []int
	for m := i; m < len(rules); m++ {
		if rules[m].Group == rules[i].Group {
			members = append(members, m)
		}
	}
	return members
}

// Cell decides one field alone, whatever group its rule names.
func Cell(rule Rule, left, right Seen, skew time.Duration) Decision {
	u := newUnit([]field{{rule: &rule, seen: [2]Seen{left, right}}}, skew)
	return u.decisions(nil)[0]
}
