package merge

import (
	"time"

	"nightporter/sync/record"
)

// Side is one record of a link, in canonical fields.
type Side struct {
	Now     record.Fields            // what is seen; a missing name was not shown
	Base    map[string]record.Stored // what was seen when the field was last settled
	Key     []byte                   // with which digests in Base were made
	Changed time.Time                // the system's own time of the record's last change; zero unknown
}

func (s *Side) seen(field string) Seen {
	return Seen{Now: s.Now[field], Base: s.Base[field], Key: s.Key, Changed: s.Changed}
}

// Merge decides every field of a link: one decision a rule, in the order of the
// rules. Neither that order nor which of the records is called left changes what is
// decided, beyond the names of the sides.
//
// choices are what people decided about held fields, by field. skew is how far the
// two systems' clocks may be apart; less than zero says that they can't be compared.
//
// Doing what the decisions say and merging again gives no write.
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

// together is the indexes of the rules that are decided with rule i: its group from
// there on, or itself.
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

// Cell decides one field by itself, whatever group its rule names.
func Cell(rule Rule, left, right Seen, skew time.Duration) Decision {
	u := newUnit([]field{{rule: &rule, seen: [2]Seen{left, right}}}, skew)
	return u.decisions(nil)[0]
}
