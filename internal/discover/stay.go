package discover

import (
	"cmp"
	"fmt"
	"slices"

	"nightporter/sync/mapping"
)

// party is a way from a booking to whom it is of: a phone or a mail address of its own, or
// the id of a contact that has one.
type party struct {
	column *column
	of     *kind   // the contacts that the id is of; nil: it stands in the booking
	key    pairing // their field
	texts  []string
	as     string
}

// booking is what was found of bookings on both sides.
type booking struct {
	l, r *kind
	by   [2]party
	same [][]int // for each left row the right ones of the same person
	rows int     // left rows that have any
	as   string  // days, or points in time
	days [2]pairing
	both int // of them, those of which both days agree with one of the other side's
}

// bookings proposes the job of the bookings: those of the same people on the same days.
func (p *proposer) bookings(people *contactJob) {
	if people != nil && !people.job.Runs() { // nothing can name one of them
		people = nil
	}
	var all []couple
	found := map[[2]*kind]booking{}
	for _, l := range p.sides[0].kinds {
		for _, r := range p.sides[1].kinds {
			if !l.mayBe(stays) || !r.mayBe(stays) || l.ReadOnly && r.ReadOnly {
				continue
			}
			b := p.sameDays(p.samePeople(l, r, people), mapping.Date)
			if b.both == 0 {
				b = p.sameDays(b, mapping.Instant)
			}
			found[[2]*kind{l, r}] = b
			all = append(all, couple{l: l, r: r, common: b.both})
		}
	}
	best := p.best(all, stays, "bookings")
	if best == nil {
		return
	}
	p.stay(*best, found[[2]*kind{best.l, best.r}], people)
}

// parties is all ways from the bookings of a kind to people.
func (p *proposer) parties(k *kind, i int, people *contactJob) []party {
	var out []party
	for _, c := range k.columns {
		for _, as := range []string{mapping.Phone, mapping.Email} {
			for _, r := range c.ways.as(as) {
				out = append(out, party{column: c, texts: c.texts(p.rs, r), as: as, key: pairing{lr: r, rr: r}})
			}
		}
		if people == nil || c.Refers == "" {
			continue
		}
		of := [2]*kind{people.l, people.r}[i]
		if of.Kind != c.Refers {
			continue
		}
		for _, m := range people.match {
			col, way := [2]*column{m.l, m.r}[i], [2]reading{m.lr, m.rr}[i]
			theirs, texts := col.texts(p.rs, way), make([]string, len(c.values))
			for n, v := range c.values {
				if at, ok := of.ids[v.Text()]; ok && holds(v) {
					texts[n] = theirs[at]
				}
			}
			out = append(out, party{column: c, of: of, key: m, texts: texts, as: way.as})
		}
	}
	return out
}

// samePeople finds the ways by which most bookings of both sides are of the same people.
func (p *proposer) samePeople(l, r *kind, people *contactJob) booking {
	best := booking{l: l, r: r}
	for _, a := range p.parties(l, 0, people) {
		for _, b := range p.parties(r, 1, people) {
			if a.as != b.as {
				continue
			}
			at, n := places(b.texts), 0
			same := make([][]int, len(a.texts))
			for i, t := range a.texts {
				if t != "" {
					same[i] = at[t]
					n += sign(len(same[i]) > 0)
				}
			}
			if next := (booking{l: l, r: r, by: [2]party{a, b}, same: same, rows: n}); next.before(best) {
				best = next
			}
		}
	}
	return best
}

// before reports whether the ways of a booking tell of whom more bookings are than those of
// another. Where they tell of nearly as many, a column that is called the guest's goes before
// one that is not, such as that of the head of a group; then who tells a booking from others.
func (b booking) before(o booking) bool {
	nearly := b.rows*5 >= o.rows*4 && o.rows*5 >= b.rows*4
	switch mine, theirs := b.others(), o.others(); {
	case b.rows == 0 || o.rows == 0 || !nearly:
		return b.rows > o.rows
	case mine != theirs:
		return mine < theirs
	case b.rows != o.rows:
		return b.rows > o.rows
	}
	return b.many() < o.many()
}

// others is how many of the two ways go by an id that is not called the guest's.
func (b booking) others() int {
	n := 0
	for _, w := range b.by {
		n += sign(w.of != nil && w.column.concept != guest)
	}
	return n
}

// many is in how many bookings of the other side the same person is, over all.
func (b booking) many() int {
	n := 0
	for _, js := range b.same {
		n += len(js)
	}
	return n
}

// sameDays finds the fields of the first and the last day, or of the first and the last
// moment: those that agree in the most bookings of the same people.
func (p *proposer) sameDays(b booking, as string) booking {
	if b.as = as; b.rows == 0 {
		return b
	}
	type scored struct {
		pairing
		hits int
	}
	var all []scored
	for _, l := range b.l.columns {
		for _, r := range b.r.columns {
			best := scored{}
			for _, lr := range l.ways.as(as) {
				for _, rr := range r.ways.as(as) {
					hits := 0
					lt, rt := l.texts(p.rs, lr), r.texts(p.rs, rr)
					for i, js := range b.same {
						hits += sign(slices.ContainsFunc(js, func(j int) bool { return lt[i] != "" && lt[i] == rt[j] }))
					}
					if hits > best.hits {
						best = scored{pairing{l: l, r: r, lr: lr, rr: rr, common: hits, least: b.rows}, hits}
					}
				}
			}
			if best.hits > 0 {
				all = append(all, best)
			}
		}
	}
	slices.SortStableFunc(all, func(x, y scored) int { return cmp.Compare(y.hits, x.hits) })
	for i := range all {
		for _, y := range all[i+1:] {
			if all[i].shares(y.pairing) {
				continue
			}
			first, last := all[i].pairing, y.pairing
			if !p.inOrder(first, last) {
				first, last = last, first
			}
			if !p.inOrder(first, last) {
				continue
			}
			if n := p.onBoth(b, first, last); n > b.both {
				b.both, b.days = n, [2]pairing{first, last}
			}
		}
	}
	return b
}

// inOrder reports whether one day is never behind the other, on both sides, and now and
// then before it.
func (p *proposer) inOrder(first, last pairing) bool {
	before := func(a, b []string) bool {
		n := 0
		for i := range a {
			if a[i] != "" && b[i] != "" && a[i] > b[i] {
				return false
			}
			n += sign(a[i] != "" && a[i] < b[i])
		}
		return n > 0
	}
	return before(first.l.texts(p.rs, first.lr), last.l.texts(p.rs, last.lr)) &&
		before(first.r.texts(p.rs, first.rr), last.r.texts(p.rs, last.rr))
}

// onBoth counts the left bookings of which one of the right, of the same person, has both
// days.
func (p *proposer) onBoth(b booking, first, last pairing) int {
	n := 0
	for i := range b.same {
		n += sign(len(p.sameStay(b, first, last, i)) > 0)
	}
	return n
}

func (p *proposer) sameStay(b booking, first, last pairing, i int) []int {
	fl, fr := first.l.texts(p.rs, first.lr), first.r.texts(p.rs, first.rr)
	ll, lr := last.l.texts(p.rs, last.lr), last.r.texts(p.rs, last.rr)
	var out []int
	for _, j := range b.same[i] {
		if fl[i] != "" && ll[i] != "" && fl[i] == fr[j] && ll[i] == lr[j] {
			out = append(out, j)
		}
	}
	return out
}

// links pairs the bookings of the same person on the same days, where there is one on
// each side.
func (p *proposer) links(b booking) []link {
	var out []link
	taken := map[int]int{}
	for i := range b.same {
		if js := p.sameStay(b, b.days[0], b.days[1], i); len(js) == 1 {
			out = append(out, link{i, js[0]})
			taken[js[0]]++
		}
	}
	return slices.DeleteFunc(out, func(k link) bool { return taken[k.r] > 1 })
}

// stay proposes the job of two kinds of bookings.
func (p *proposer) stay(c couple, b booking, people *contactJob) {
	j := &Job{Name: "reservations", Kind: "stay", Between: [2]string{c.l.Kind, c.r.Kind}, Confidence: c.confidence, Evidence: c.evidence}
	used := map[*column]bool{}
	days, as, names := b.days, mapping.Date, []string{arrival, departure}
	if b.both > 0 && b.as == mapping.Instant {
		j.Kind, as, names = "appointment", mapping.Instant, []string{"start", "end"}
	}
	sure, why := c.confidence, fmt.Sprintf("in %d of %d bookings of the same people", b.both, b.rows)
	if b.both == 0 {
		days, why = p.daysByName(c), "by its name alone: no booking stands on both sides"
	} else {
		j.links = p.links(b)
	}
	who := p.guest(j, c, b, people, used)
	if days[0].l != nil {
		for i, name := range names {
			f := p.field(j, name, agreement{pairing: days[i], as: as}, sure, why)
			f.Together = "stay"
			if i == 1 { // they are written as one
				first := &j.Fields[len(j.Fields)-1]
				first.To, f.To = cmp.Or(first.To, f.To), cmp.Or(first.To, f.To)
			}
			used[days[i].l], used[days[i].r] = true, true
			j.Fields = append(j.Fields, f)
		}
	} else {
		j.Unknown = append(j.Unknown, "which fields hold the first and the last day")
	}
	switch {
	case who == "" || days[0].l == nil:
		j.MatchWhy = "nothing tells by what two bookings are the same"
	default:
		j.Match = [][]string{{who, names[0], names[1]}}
		j.MatchWhy = fmt.Sprintf("by these, %d records that were read are the same: of %d in %s, %d in %s", len(j.links), len(c.l.Rows),
			p.sides[0].name, len(c.r.Rows), p.sides[1].name)
	}
	p.state(j, c.l, c.r, used)
	p.others(j, c.l, c.r, used)
	p.rest(j, [2]*kind{c.l, c.r})
	j.arrange()
	p.out.Jobs = append(p.out.Jobs, *j)
}

// daysByName is the first and the last day as fields are called, where each is the only
// one and can be read in one way.
func (p *proposer) daysByName(c couple) [2]pairing {
	var out [2]pairing
	for i, concept := range []string{arrival, departure} {
		l, r := c.l.only(concept), c.r.only(concept)
		if l == nil || r == nil {
			return [2]pairing{}
		}
		out[i] = pairing{l: l, r: r}
		if !p.onlyWays(&out[i], mapping.Date) {
			return [2]pairing{}
		}
	}
	return out
}
