package discover

import (
	"slices"
	"strings"

	"nightporter/sync/mapping"
)

// role is what the records of a kind are.
type role uint8

const (
	other role = iota
	contacts
	stays
	calls
)

func (r role) String() string { return [...]string{"other", "contact", "stay", "call"}[r] }

// kind is a sample, looked at.
type kind struct {
	Sample
	columns []*column
	named   role // as its name has it
	ids     map[string]int
}

// side is one system, looked at.
type side struct {
	name  string
	kinds []*kind
}

// look takes the samples of a system in. regions are found in a first pass over both
// systems.
func (d *dictionary) look(s System) *side {
	out := &side{name: s.Name}
	for _, sample := range s.Kinds {
		k := &kind{Sample: sample, named: d.role(sample.Kind), ids: map[string]int{}}
		for i, row := range sample.Rows {
			k.ids[row.ID] = i
		}
		k.columns = d.columnsOf(k)
		out.kinds = append(out.kinds, k)
	}
	return out
}

// infer finds out in which ways all fields can be read.
func (s *side) infer(rs *readers, regions []string) {
	for _, k := range s.kinds {
		for _, c := range k.columns {
			c.ways = rs.infer(c.values, regions)
		}
		for _, c := range k.columns {
			c.ways.maybe = append(c.ways.maybe, append(c.amounts(rs), c.lists()...)...)
		}
	}
	for _, k := range s.kinds {
		for _, c := range k.columns {
			s.refer(k, c)
		}
	}
}

// refer finds out whether a field holds the ids of another kind. The system's own word
// counts; otherwise all of its values must be such ids, and its name must say so, for
// small numbers are ids of everything. Of a kind that was not read whole some of them are
// enough: the others may be of records that were not read.
func (s *side) refer(k *kind, c *column) {
	if c.Refers != "" || c.filled == 0 {
		return
	}
	for _, to := range s.kinds {
		if to == k || len(to.ids) == 0 {
			continue
		}
		hits := 0
		for _, v := range c.values {
			if _, ok := to.ids[v.Text()]; ok && holds(v) {
				hits++
			}
		}
		if (hits == c.filled || !to.Whole && hits >= few) && (c.concept == guest && to.named != stays && to.named != calls || !c.numeric() && c.various >= 3) {
			c.Refers = to.Kind
			return
		}
	}
}

// mayBe reports whether a kind can be of a role: its fields say so, or where they say
// nothing its name.
func (k *kind) mayBe(r role) bool {
	switch r {
	case contacts:
		return k.named == contacts || k.named == other && k.reachable() && !k.spans()
	case stays:
		return k.named == stays || k.named == other && k.spans() && (k.reachable() || k.refers())
	case calls, other:
	}
	return k.named == r
}

// reachable reports whether records have a phone or a mail address.
func (k *kind) reachable() bool {
	return slices.ContainsFunc(k.columns, func(c *column) bool {
		return c.is(mapping.Phone) || c.is(mapping.Email) || len(c.ways.as(mapping.Phone)) > 0 && (c.concept == phoneName || c.concept == mobileName)
	})
}

func (k *kind) refers() bool {
	return slices.ContainsFunc(k.columns, func(c *column) bool { return c.Refers != "" })
}

// spans reports whether records go from one day to another.
func (k *kind) spans() bool {
	n := 0
	for _, c := range k.columns {
		if (c.dated() || len(c.ways.as(mapping.Instant)) > 0) && !c.own() && c.concept != birthDate {
			n++
		}
	}
	return n >= 2
}

// homes are the countries that numbers of both systems are of, the most frequent first.
func homes(rs *readers, sides [2]*side) []string {
	count := map[string]int{}
	for _, s := range sides {
		for _, k := range s.kinds {
			for _, c := range k.columns {
				for _, v := range different(c.values) {
					text := strings.TrimSpace(v.Text())
					if !abroad.MatchString(text) {
						continue
					}
					if e164, ok := rs.read(reading{as: mapping.Phone}, v); ok {
						count[regionOf(e164)]++
					}
				}
			}
		}
	}
	delete(count, "")
	var out []string
	for r := range count {
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b string) int {
		if count[a] != count[b] {
			return count[b] - count[a]
		}
		return strings.Compare(a, b)
	})
	return out[:min(len(out), 5)]
}
