package discover

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"nightporter/sync/mapping"
	"nightporter/sync/record"
)

// separators are what stands between the elements of a list that is kept as one text.
var separators = []string{", ", "; ", ",", ";", "|"}

// ofTexts reports whether a value is a list of texts. An empty one is a list of anything.
func ofTexts(v record.Value) bool {
	return v.Type() == record.List && !slices.ContainsFunc(v.List(), func(e record.Value) bool { return e.Type() != record.Text })
}

// listed reports whether a field holds lists of texts, and nothing else.
func (c *column) listed() bool {
	some := false
	for _, v := range c.values {
		if v.Observed() && v.Type() != record.Null && !ofTexts(v) {
			return false
		}
		some = some || v.Type() == record.List && len(v.List()) > 0
	}
	return some
}

// lengths is how many records have a list with something in it.
func (c *column) lengths() int {
	n := 0
	for _, v := range c.values {
		n += sign(len(v.List()) > 0)
	}
	return n
}

// lists is the ways to read a field as a list: as it stands, or as a text with separators.
func (c *column) lists() []reading {
	if c.listed() {
		return []reading{{as: mapping.Set}}
	}
	if c.is(mapping.Email) || len(c.ways.as(mapping.Text)) == 0 {
		return nil
	}
	for _, by := range separators {
		if c.split(by) {
			return []reading{{as: mapping.Set, split: by}}
		}
	}
	return nil
}

// split reports whether a separator stands in several values, and always as it is given.
func (c *column) split(by string) bool {
	n, bare := 0, strings.TrimSpace(by)
	spaced := regexp.MustCompile(regexp.QuoteMeta(bare) + `\s`)
	for _, v := range different(c.values) {
		text := strings.TrimSpace(v.Text())
		if strings.Count(text, bare) != strings.Count(text, by) || bare == by && spaced.MatchString(text) {
			return false
		}
		n += sign(strings.Contains(text, by))
	}
	return n >= fewest
}

// list proposes a field of lists: a set where the order is of no account, else a list. Where
// nothing tells it is left to the user.
func (p *proposer) list(j *Job, a agreement, sure Confidence, why string, used map[*column]bool) {
	as, said := p.ordered(j.links, a)
	if as == "" {
		j.Unknown = append(j.Unknown, fmt.Sprintf("whether the order of %s and %s counts (as: list) or not (as: set): %s, and %s", a.l.Path, a.r.Path, why, said))
		return
	}
	used[a.l], used[a.r] = true, true
	a.as = as
	f := p.field(j, "", a, sure, why+said)
	for i, r := range []reading{a.lr, a.rr} {
		f.Sides[i].Split = r.split
	}
	j.Fields = append(j.Fields, f)
}

// ordered is whether two fields of the same elements are lists or sets; "" where nothing
// tells, with why.
func (p *proposer) ordered(links []link, a agreement) (as, said string) {
	several, same, sorted := 0, 0, true
	for _, k := range links {
		l, r := p.rs.elements(a.lr, a.l.values[k.l]), p.rs.elements(a.rr, a.r.values[k.r])
		if len(l) < 2 || len(l) != len(r) {
			continue
		}
		several++
		same += sign(slices.Equal(l, r))
		sorted = sorted && slices.IsSorted(l) && slices.IsSorted(r)
	}
	twice := p.rs.twice(a.l, a.lr) || p.rs.twice(a.r, a.rr)
	switch {
	case same < several && twice:
		return "", "the order differs, and some elements stand twice"
	case same < several:
		return mapping.Set, "; in any order"
	case !twice && (a.l.concept == "tags" || a.r.concept == "tags"):
		return mapping.Set, ""
	case several < few:
		return "", "too few of them have several elements to tell"
	case sorted && !twice:
		return mapping.Set, ""
	}
	return mapping.List, ", in the same order"
}

// elements is a list's elements as they stand.
func (rs *readers) elements(r reading, v record.Value) []string {
	var out []string
	if v.Type() == record.List {
		for _, e := range v.List() {
			out = append(out, e.Text())
		}
		return out
	}
	if r.split == "" || !holds(v) {
		return nil
	}
	for e := range strings.SplitSeq(v.Text(), r.split) {
		out = append(out, strings.TrimSpace(e))
	}
	return out
}

// twice reports whether an element stands twice in a list.
func (rs *readers) twice(c *column, r reading) bool {
	return slices.ContainsFunc(c.values, func(v record.Value) bool {
		all := slices.Sorted(slices.Values(rs.elements(r, v)))
		return len(slices.Compact(slices.Clone(all))) < len(all)
	})
}
