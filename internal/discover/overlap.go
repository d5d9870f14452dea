package discover

import (
	"cmp"
	"fmt"
	"slices"

	"nightporter/sync/mapping"
)

// The least that values must tell.
const (
	enough = 5   // agreeing values: it is known
	few    = 3   // it is likely
	alone  = 0.8 // the part of a key's values that stands in one record alone
)

// pairing is a field of the left and one of the right, and how they are read.
type pairing struct {
	l, r   *column
	lr, rr reading

	common int // different values that stand on both sides
	least  int // different values on the side that has fewer
	lu, ru float64

	rivals []pairing // that fit nearly as well
}

func (p pairing) shares(q pairing) bool { return p.l == q.l || p.r == q.r }

// alike reports whether both names stand for the same.
func (p pairing) alike() bool { return p.l.concept != "" && p.l.concept == p.r.concept }

// overlap measures which values of a type two fields have in common, in the readings that
// give the most.
func (rs *readers) overlap(l, r *column, as string) (pairing, bool) {
	var best pairing
	for _, lr := range l.ways.as(as) {
		for _, rr := range r.ways.as(as) {
			lt, rt := l.texts(rs, lr), r.texts(rs, rr)
			ls, rset := set(lt), set(rt)
			n := 0
			for t := range ls {
				if rset[t] {
					n++
				}
			}
			if n > best.common {
				best = pairing{l: l, r: r, lr: lr, rr: rr, common: n, least: min(len(ls), len(rset)), lu: unique(lt), ru: unique(rt)}
			}
		}
	}
	return best, best.common > 0
}

func set(texts []string) map[string]bool {
	out := map[string]bool{}
	for _, t := range texts {
		if t != "" {
			out[t] = true
		}
	}
	return out
}

// reached is the pairs of fields by which the same person is reached on both sides, those
// with the most values in common first. Of two that share a field the other one is a
// rival.
func (rs *readers) reached(l, r *kind) []pairing {
	var all []pairing
	for _, as := range []string{mapping.Phone, mapping.Email} {
		for _, lc := range l.columns {
			for _, rc := range r.columns {
				if p, ok := rs.overlap(lc, rc, as); ok {
					all = append(all, p)
				}
			}
		}
	}
	return distinct(all, func(p pairing) float64 { return float64(p.common) })
}

// distinct takes the best of pairs that share a field, with what nearly fits as well as
// rivals. Names decide between those that fit alike.
func distinct(all []pairing, score func(pairing) float64) []pairing {
	slices.SortStableFunc(all, func(a, b pairing) int {
		if c := cmp.Compare(score(b), score(a)); c != 0 {
			return c
		}
		return cmp.Compare(sign(b.alike()), sign(a.alike()))
	})
	var out []pairing
	for _, p := range all {
		if slices.ContainsFunc(out, p.shares) {
			continue
		}
		for _, q := range all {
			if (q.l != p.l || q.r != p.r) && p.shares(q) && score(q) >= 0.8*score(p) {
				p.rivals = append(p.rivals, q)
			}
		}
		out = append(out, p)
	}
	return out
}

func sign(b bool) int {
	if b {
		return 1
	}
	return 0
}

// sure is how sure it is that two fields are the same by the values they share, and what
// is to be said of it.
func (p pairing) sure(what string) (Confidence, string) {
	said := fmt.Sprintf("%d of %d %s stand on both sides", p.common, p.least, what)
	switch {
	case !p.clear():
		return NotKnown, said + ", and as many of " + p.others()
	case len(p.rivals) > 0:
		return Likely, said + "; nearly as many of " + p.others()
	case p.common >= enough && p.common*5 >= p.least:
		return Known, said
	case p.common >= few || p.alike():
		return Likely, said
	}
	return NotKnown, said + ", too few to tell"
}

// clear reports whether a pair is better than its rivals, or is called the same where
// they are not.
func (p pairing) clear() bool {
	for _, q := range p.rivals {
		if q.common >= p.common && (!p.alike() || q.alike()) {
			return false
		}
		if q.common < p.common && q.alike() && !p.alike() {
			return false // values and names disagree
		}
	}
	return true
}

// others names the fields of the rivals.
func (p pairing) others() string {
	q := p.rivals[0]
	if q.l == p.l {
		return q.r.Path
	}
	return q.l.Path
}

// key reports whether a pair's values tell records apart.
func (p pairing) key() bool { return p.lu >= alone && p.ru >= alone }

// link is a record of the left and one of the right that are the same, by their places.
type link struct{ l, r int }

// apart is the part of a field's values that tell records apart; of one that holds nothing,
// all will.
func (rs *readers) apart(c *column, r reading) float64 {
	if c.filled == 0 {
		return 1
	}
	return unique(c.texts(rs, r))
}

// linked pairs the records that have a value of a key in common that no other record of
// their side has; the first key that does counts.
func (rs *readers) linked(keys []pairing) []link {
	var out []link
	usedL, usedR := map[int]bool{}, map[int]bool{}
	for _, k := range keys {
		lt, rt := places(k.l.texts(rs, k.lr)), places(k.r.texts(rs, k.rr))
		for i, t := range k.l.texts(rs, k.lr) {
			if t == "" || len(lt[t]) != 1 || len(rt[t]) != 1 || usedL[i] || usedR[rt[t][0]] {
				continue
			}
			usedL[i], usedR[rt[t][0]] = true, true
			out = append(out, link{i, rt[t][0]})
		}
	}
	return out
}

// places is where each value stands.
func places(texts []string) map[string][]int {
	out := map[string][]int{}
	for i, t := range texts {
		if t != "" {
			out[t] = append(out[t], i)
		}
	}
	return out
}
