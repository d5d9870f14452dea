package discover

import (
	"fmt"
	"slices"

	"nightporter/sync/mapping"
)

// contactJob is the job of the people, with what bookings need of it.
type contactJob struct {
	couple
	job   *Job
	match []pairing // by which people are told
}

// contact proposes the job of two kinds of contacts.
func (p *proposer) contact(c couple) *contactJob {
	out := &contactJob{couple: c, job: &Job{
		Name: "contacts", Kind: "contact", Between: [2]string{c.l.Kind, c.r.Kind}, Confidence: c.confidence, Evidence: c.evidence,
	}}
	j := out.job
	used := map[*column]bool{}
	named := p.named(c.l, c.r, c.keys)
	for _, k := range append(c.keys, named...) {
		if used[k.l] || used[k.r] {
			continue
		}
		if m := measure(p.rs.linked(out.match), k.l.texts(p.rs, k.lr), k.r.texts(p.rs, k.rr)); k.common == 0 && m.both >= few {
			j.Unknown = append(j.Unknown, fmt.Sprintf("whether %s and %s are the same: they are called alike, and %s", k.l.Path, k.r.Path, m.says()))
			continue
		}
		f, ok := p.reachedBy(j, k)
		if !ok {
			continue
		}
		used[k.l], used[k.r] = true, true
		j.Fields = append(j.Fields, f)
		if k.key() {
			out.match = append(out.match, k)
			j.Match = append(j.Match, []string{f.Name})
			continue
		}
		j.Unknown = append(j.Unknown, fmt.Sprintf("whether %s tells people apart: %s", f.Name, k.shared(p)))
	}
	j.links = p.rs.linked(out.match)
	j.MatchWhy = p.told(c.l, c.r, j.links, out.match)
	p.others(j, c.l, c.r, used)
	p.rest(j, [2]*kind{c.l, c.r})
	j.arrange()
	p.out.Jobs = append(p.out.Jobs, *j)
	return out
}

// named is the pairs of phones and mail addresses that only names tell: no value stands on
// both sides, and each is the only one that is called so.
func (p *proposer) named(l, r *kind, keys []pairing) []pairing {
	var out []pairing
	for _, concept := range []string{phoneName, mobileName, emailName} {
		lc, rc := l.only(concept), r.only(concept)
		if lc == nil || rc == nil {
			continue
		}
		q := pairing{l: lc, r: rc}
		if slices.ContainsFunc(keys, func(k pairing) bool { return k.l == lc && k.r == rc }) {
			continue
		}
		if p.onlyWays(&q, usual(concept)) {
			q.lu, q.ru = p.rs.apart(lc, q.lr), p.rs.apart(rc, q.rr)
			out = append(out, q)
		}
	}
	return out
}

// onlyWays has two fields read as a type, each in the one way that its values allow; ok is
// false where they allow several, and nothing across tells which.
func (p *proposer) onlyWays(q *pairing, as string) (ok bool) {
	var lok, rok bool
	q.lr, lok = q.l.only(as)
	q.rr, rok = q.r.only(as)
	return lok && rok
}

// only is the one way in which a field can be read as a type. One that holds nothing is
// read as is usual.
func (c *column) only(as string) (reading, bool) {
	var sure []reading
	for _, r := range c.ways.sure {
		if r.as == as {
			sure = append(sure, r)
		}
	}
	ways := c.ways.as(as)
	switch {
	case as == mapping.Set: // where nothing stands, nobody knows that lists do
		return first(ways), len(ways) == 1
	case c.nested():
		return reading{}, false
	case c.filled == 0:
		return reading{as: as}, true
	case len(sure) > 0:
		return sure[0], true
	case len(ways) == 1:
		return ways[0], true
	case as == mapping.Name && len(c.ways.as(mapping.Text)) == 1:
		return reading{as: as}, true
	}
	return reading{}, false
}

func first(ways []reading) reading {
	if len(ways) == 0 {
		return reading{}
	}
	return ways[0]
}

// only is the one field that is called so, nil where there is none or several.
func (k *kind) only(concept string) *column {
	var out *column
	for _, c := range k.columns {
		if c.concept != concept {
			continue
		}
		if out != nil {
			return nil
		}
		out = c
	}
	return out
}

// reachedBy is the field of a phone or a mail address; ok is false where nothing tells
// that it is the same on both sides.
func (p *proposer) reachedBy(j *Job, k pairing) (Field, bool) {
	what, name := "phones", phoneName
	if k.lr.as == mapping.Email {
		what, name = "addresses", emailName
	} else if k.l.concept == mobileName && k.r.concept == mobileName {
		name = mobileName
	}
	sure, why := k.sure(what)
	if k.common == 0 {
		sure, why = Likely, "by its name alone: no value stands on both sides"
	}
	if sure == NotKnown {
		j.Unknown = append(j.Unknown, fmt.Sprintf("whether %s and %s are the same: %s", k.l.Path, k.r.Path, why))
		return Field{}, false
	}
	return p.field(j, name, agreement{pairing: k, as: k.lr.as}, sure, why), true
}

// shared says how many values of a key stand in several records.
func (k pairing) shared(p *proposer) string {
	return fmt.Sprintf("%d of 100 stand in one record alone in %s, %d in %s", int(100*k.lu), p.sides[0].name, int(100*k.ru), p.sides[1].name)
}

// told says what the match keys do to the samples.
func (p *proposer) told(l, r *kind, links []link, match []pairing) string {
	if len(match) == 0 {
		return "no field tells records apart on both sides"
	}
	return fmt.Sprintf("by these, %d records that were read are the same: of %d in %s, %d in %s", len(links), len(l.Rows), p.sides[0].name,
		len(r.Rows), p.sides[1].name)
}

// others proposes the fields that are neither keys nor words.
func (p *proposer) others(j *Job, l, r *kind, used map[*column]bool) {
	free := func(k *kind) []*column {
		var out []*column
		for _, c := range k.columns {
			if !used[c] && !c.own() && c.Refers == "" && (!c.nested() || c.listed()) {
				out = append(out, c)
			}
		}
		return out
	}
	lcs, rcs := free(l), free(r)
	pairs := p.rs.matched(j.links, lcs, rcs)
	slices.SortStableFunc(pairs, func(a, b agreement) int { // an amount takes its currency along
		return sign(b.as == mapping.Money) - sign(a.as == mapping.Money)
	})
	for _, a := range pairs {
		if !used[a.l] && !used[a.r] {
			p.other(j, a, used)
		}
	}
	p.contradicted(j, lcs, rcs, used)
	p.joined(j, lcs, rcs, used)
}

// other proposes the field of two that go together, if that is sure enough.
func (p *proposer) other(j *Job, a agreement, used map[*column]bool) {
	sure, why := a.verdict()
	if sure == NotKnown {
		j.Unknown = append(j.Unknown, fmt.Sprintf("whether %s and %s are the same: %s%s", a.l.Path, a.r.Path, why, p.hundredfold(j.links, a)))
		return
	}
	if a.l.ReadOnly && a.r.ReadOnly {
		return
	}
	if a.both == 0 {
		a.as = usual(a.l.concept)
		if a.as == "" {
			return // a type that names don't tell
		}
		if !p.onlyWays(&a.pairing, a.as) {
			j.Unknown = append(j.Unknown, fmt.Sprintf("how %s and %s are written: what stands there can be read in several ways%s", a.l.Path, a.r.Path, suchAs(a.as)))
			return
		}
	}
	switch a.as {
	case mapping.Money:
		p.money(j, a, sure, why, used)
	case mapping.Set:
		p.list(j, a, sure, why, used)
	default:
		used[a.l], used[a.r] = true, true
		j.Fields = append(j.Fields, p.field(j, "", a, sure, why))
	}
}

// suchAs is what can be read in several ways in a type's values.
func suchAs(as string) string {
	switch as {
	case mapping.Money:
		return ", or in none, such as with a comma or a sign"
	case mapping.Set:
		return ", or in none, such as by what stands between the elements"
	}
	return ", such as day and month"
}

// contradicted names fields that are called the same and hold something else.
func (p *proposer) contradicted(j *Job, lcs, rcs []*column, used map[*column]bool) {
	for _, l := range lcs {
		for _, r := range rcs {
			a := p.rs.agree(j.links, l, r)
			if !used[l] && !used[r] && a.alike() && a.tells() && a.beyond < 0.4 {
				j.Unknown = append(j.Unknown, fmt.Sprintf("why %s and %s are called the same: %s%s", l.Path, r.Path, a.says(), p.hundredfold(j.links, a)))
			}
		}
	}
}

// joined proposes a name that stands in one field on one side and in two on the other.
func (p *proposer) joined(j *Job, lcs, rcs []*column, used map[*column]bool) {
	for i, cs := range [2][2][]*column{{lcs, rcs}, {rcs, lcs}} {
		for _, one := range cs[0] {
			if used[one] || len(one.ways.as(mapping.Text)) == 0 {
				continue
			}
			if a, b, n := p.rs.halves(j.links, i, one, cs[1], used); a != nil {
				used[one], used[a], used[b] = true, true, true
				f := Field{
					Name: j.free(fullName), As: mapping.Name, Conflict: "hold", Confidence: Likely, Like: like(one),
					Evidence: fmt.Sprintf("in %d records that are the same it is the two together; where it is written it is taken apart at the last blank", n),
				}
				f.Sides[i], f.Sides[1-i] = Side{Path: one.Path}, Side{Paths: []string{a.Path, b.Path}}
				j.Fields = append(j.Fields, f)
			}
		}
	}
}

// halves is two fields that make up a third, with a blank between them, in linked records.
func (rs *readers) halves(links []link, of int, one *column, cs []*column, used map[*column]bool) (a, b *column, n int) {
	whole := one.texts(rs, reading{as: mapping.Text})
	links = links[:min(len(links), looked)] // there are many pairs of fields to be tried
	for _, x := range cs {
		for _, y := range cs {
			if x == y || used[x] || used[y] || len(x.ways.as(mapping.Text)) == 0 || len(y.ways.as(mapping.Text)) == 0 {
				continue
			}
			xt, yt := x.texts(rs, reading{as: mapping.Text}), y.texts(rs, reading{as: mapping.Text})
			same, both := 0, 0
			for _, k := range links {
				at, to := k.l, k.r
				if of == 1 {
					at, to = k.r, k.l
				}
				if whole[at] == "" || xt[to] == "" || yt[to] == "" {
					continue
				}
				both++
				if whole[at] == xt[to]+" "+yt[to] {
					same++
				}
			}
			if same >= few && same*5 >= both*4 && same > n {
				a, b, n = x, y, same
			}
		}
	}
	return a, b, n
}
