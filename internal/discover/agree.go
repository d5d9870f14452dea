package discover

import (
	"cmp"
	"fmt"
	"slices"

	"nightporter/sync/mapping"
	"nightporter/sync/record"
)

// agreement is how far two fields say the same in records that are the same.
type agreement struct {
	pairing
	as      string
	both    int     // linked records in which both hold something
	same    int     // of them those in which it is the same
	various int     // different values that are the same
	beyond  float64 // how far that is beyond chance: 1 all, 0 as chance would have it
	tied    bool    // another way to read the same type agrees as well
}

// compared are the types in which values are compared, those that say more first.
var compared = []string{
	mapping.Email, mapping.Phone, mapping.Date, mapping.Instant, mapping.Bool, mapping.Money, mapping.Number, mapping.Language, mapping.Country, mapping.Set, mapping.Text,
}

// agree compares two fields over links, in the readings that agree most.
func (rs *readers) agree(links []link, l, r *column) agreement {
	best := agreement{pairing: pairing{l: l, r: r}}
	for _, as := range compared {
		if !suits(as, l, r) {
			continue
		}
		for _, lr := range l.ways.as(as) {
			for _, rr := range r.ways.as(as) {
				a := measure(links, l.texts(rs, lr), r.texts(rs, rr))
				a.pairing, a.as = pairing{l: l, r: r, lr: lr, rr: rr}, as
				best.tied = best.tied || a.as == best.as && a.same > 0 && a.same == best.same && (as == mapping.Date || as == mapping.Instant)
				if best.as == "" || a.beyond > best.beyond+1e-9 || a.beyond >= best.beyond-1e-9 && a.same > best.same {
					best = a
				}
			}
		}
	}
	return best
}

// suits reports whether two fields are compared in a type at all. What is a number on one
// side is none of a language's codes, and codes are only those of languages where a
// field is called so: rooms have such codes, too.
func suits(as string, l, r *column) bool {
	named := func(concept string) bool { return l.concept == concept || r.concept == concept }
	digits := l.written(record.Number) || r.written(record.Number)
	switch as {
	case mapping.Language:
		return named(language)
	case mapping.Country:
		return named(country)
	case mapping.Set:
		return l.listed() || r.listed()
	case mapping.Money:
		return l.money || r.money
	case mapping.Number:
		return digits
	case mapping.Bool:
		return l.written(record.Bool) || r.written(record.Bool) || digits
	case mapping.Text:
		return !digits
	}
	return true
}

// written reports whether a field's values are of a type as they come.
func (c *column) written(t record.Type) bool {
	for _, v := range c.values {
		if holds(v) {
			return v.Type() == t
		}
	}
	return false
}

// measure compares the values of linked records. That two fields of few values agree says
// little: what chance would have them agree is taken off.
func measure(links []link, lt, rt []string) agreement {
	var a agreement
	lc, rc, agreed := map[string]int{}, map[string]int{}, map[string]bool{}
	for _, k := range links {
		x, y := lt[k.l], rt[k.r]
		if x == "" || y == "" {
			continue
		}
		a.both++
		lc[x]++
		rc[y]++
		if x == y {
			a.same++
			agreed[x] = true
		}
	}
	a.various = len(agreed)
	if a.both == 0 {
		return a
	}
	chance := 0.0
	for x, n := range lc {
		chance += float64(n) * float64(rc[x]) / float64(a.both) / float64(a.both)
	}
	if chance < 1 {
		a.beyond = (float64(a.same)/float64(a.both) - chance) / (1 - chance)
	}
	return a
}

// tells reports whether the values say anything about whether two fields are the same:
// enough of them, and not all the same one.
func (a agreement) tells() bool {
	return a.both >= few && (a.various >= 2 || a.beyond < 0.5 && a.same < a.both)
}

// says is the agreement in words.
func (a agreement) says() string {
	return fmt.Sprintf("in %d of %d records that are the same it is the same", a.same, a.both)
}

// verdict is how sure it is that two fields are the same, by values first and names after.
func (a agreement) verdict() (Confidence, string) {
	switch {
	case a.tied && a.beyond >= 0.4:
		return NotKnown, a.says() + ", whichever of several ways it is read in, such as day and month"
	case a.tells() && a.beyond >= 0.7 && !a.clearly():
		return NotKnown, a.says() + ", and as often in " + a.others()
	case a.tells() && a.beyond >= 0.7 && a.same >= enough && a.various >= few:
		return Known, a.says()
	case a.tells() && a.beyond >= 0.7:
		return Likely, a.says() + ", of few values"
	case a.tells() && a.beyond >= 0.4 && a.alike():
		return Likely, a.says() + ", and it is called so"
	case a.tells():
		return NotKnown, a.says()
	case a.alike() && a.l.concept == notes:
		return NotKnown, "they are called alike, and what the desk notes for itself leaves the house only if somebody says so"
	case a.alike() && a.both > 0 && a.same == a.both:
		return Likely, "by its name; in all " + fmt.Sprint(a.both) + " records that are the same it is the same, of too few values to tell more"
	case a.alike() && a.both > 0:
		return NotKnown, "it is called so, and " + a.says()
	case a.alike():
		return Likely, "by its name alone: no two records that are the same hold it"
	}
	return NotKnown, "no value tells"
}

// clearly reports whether nothing else fits as well, or only what isn't called the same.
func (a agreement) clearly() bool {
	for _, q := range a.rivals {
		if !a.alike() || q.alike() {
			return false
		}
	}
	return true
}

// matched pairs fields by what linked records hold, each once. What shares a field with a
// better pair is left out; what is as good is a rival.
func (rs *readers) matched(links []link, ls, rcs []*column) []agreement {
	var all []agreement
	for _, l := range ls {
		for _, r := range rcs {
			all = append(all, rs.agree(links, l, r))
		}
	}
	rank := func(a agreement) float64 {
		switch {
		case a.tells() && a.beyond >= 0.4:
			return 1 + a.beyond
		case !a.tells() && a.alike():
			return 1
		}
		return 0
	}
	slices.SortStableFunc(all, func(a, b agreement) int {
		if c := cmp.Compare(rank(b), rank(a)); c != 0 {
			return c
		}
		if c := cmp.Compare(sign(b.alike()), sign(a.alike())); c != 0 {
			return c
		}
		return cmp.Compare(b.same, a.same)
	})
	var out []agreement
	for _, a := range all {
		if rank(a) == 0 || slices.ContainsFunc(out, func(b agreement) bool { return a.shares(b.pairing) }) {
			continue
		}
		for _, q := range all {
			if (q.l != a.l || q.r != a.r) && a.shares(q.pairing) && rank(q) > 1 && rank(q) >= rank(a)-0.1 && q.same*5 >= a.same*4 {
				a.rivals = append(a.rivals, q.pairing)
			}
		}
		out = append(out, a)
	}
	return out
}
