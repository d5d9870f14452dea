package mapping

import (
	"maps"
	"slices"
	"strings"

	"nightporter/sync/mapping/phone"
	"nightporter/sync/record"
)

// share finds the native paths that several fields write. The fields are pieces of one text, or it is a
// mistake. It also notes the path of each country, for phones that are read by that country.
func (c *compiler) share() {
	for _, which := range record.Sides {
		users := map[string][]*field{}
		for _, f := range c.m.fields {
			s := &f.sides[which]
			for _, p := range s.writes() {
				if f.As == Money && p == s.Currency && s.currency == "" {
					continue // two amounts may share the path of their currency
				}
				users[p] = append(users[p], f)
			}
			if f.As == Country && s.Path != "" {
				c.m.shownBy[which][s.Path] = f
			}
		}
		for _, p := range slices.Sorted(maps.Keys(users)) {
			c.pieces(which, p, users[p])
		}
	}
}

// pieces checks the fields that write one native path. If they are several, it numbers them as pieces
// of the text at that path.
func (c *compiler) pieces(which record.Side, path string, fs []*field) {
	shared := func(f *field) bool {
		s := &f.sides[which]
		return s.Path == path && s.Split != "" && f.As != List && f.As != Set
	}
	if len(fs) == 1 {
		if shared(fs[0]) {
			c.fail(fs[0].Name, c.system(which), "split without another field at %s; take it away, or map the other pieces", path)
		}
		return
	}
	first := &fs[0].sides[which]
	for i, f := range fs {
		s := &f.sides[which]
		switch {
		case !shared(f):
			c.fail(f.Name, c.system(which), "%s is mapped twice, as %s too; pieces of one text need split on each", path, otherName(fs, f))
			return
		case f.As != Text && f.As != Name:
			c.fail(f.Name, c.system(which), "a piece of a text is a text or a name, not a %s", f.As)
			return
		case s.Split != first.Split || s.Cut != first.Cut:
			c.fail(f.Name, c.system(which), "all pieces of %s need the same split and cut", path)
			return
		}
		if s.Piece == 0 {
			s.Piece = i + 1
		}
	}
	ordered := slices.Clone(fs)
	slices.SortStableFunc(ordered, func(a, b *field) int { return a.sides[which].Piece - b.sides[which].Piece })
	for i, f := range ordered {
		if f.sides[which].Piece != i+1 {
			c.fail(f.Name, c.system(which), "the pieces of %s must be numbered from 1 without gaps", path)
			return
		}
		f.sides[which].pieces = ordered
	}
}

func otherName(fs []*field, f *field) string {
	for _, g := range fs {
		if g != f {
			return g.Name
		}
	}
	return ""
}

// notAValue gives each field the patterns of texts that are not real values. They stand in the Spec by
// the name of a field or of a type.
func (c *compiler) notAValue() {
	for _, key := range slices.Sorted(maps.Keys(c.m.spec.NotAValue)) {
		found := false
		for _, f := range c.m.fields {
			as := f.As
			if f.Of != "" {
				as = f.Of
			}
			if f.Name == key || as == key {
				found = true
				f.never = append(f.never, c.patterns(f, key, as)...)
			}
			if f.As == Reference && (key == PartPhone || key == PartEmail || key == PartName) {
				found = true
				if f.parts == nil {
					f.parts = map[string][]string{}
				}
				f.parts[key] = c.patterns(f, key, key)
			}
		}
		if !found {
			c.fail("not_a_value", "", "%q is neither a field nor a type here%s", key,
				nearest(key, append(slices.Sorted(maps.Keys(c.m.byName)), types()...)))
		}
	}
	for _, f := range c.m.fields {
		if f.of != nil {
			f.of.never = f.never
		}
	}
}

// patterns reads the patterns for one field. A phone pattern without stars is read as a phone number, by
// the region of either side.
func (c *compiler) patterns(f *field, key, as string) []string {
	var out []string
	for _, p := range c.m.spec.NotAValue[key] {
		switch {
		case fold(p) == "" || strings.Trim(p, "* ") == "":
			c.fail("not_a_value", "", "%s: a pattern that is empty or fits everything", key)
		case as == Phone && !strings.Contains(p, "*"):
			found := false
			for _, which := range record.Sides {
				at := spot{f: f, s: &side{region: f.sides[which].region}}
				if num, err := at.parsePhone(clean(p)); err == nil {
					out, found = append(out, num.E164), true
				}
			}
			if !found && !phone.Repeated(p) {
				c.fail("not_a_value", "", "%s: %q is not a phone number; write it with + and the country's code", key, p)
			}
		default:
			out = append(out, fold(p))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// match checks the rules by which two records are recognised as the same.
func (c *compiler) match() {
	for i, rule := range c.m.spec.Match {
		if len(rule) == 0 {
			c.fail("match", "", "rule %d has no field", i+1)
		}
		for _, name := range rule {
			f := c.m.byName[name]
			if f == nil {
				c.fail("match", "", "unknown field %q%s", name, nearest(name, slices.Sorted(maps.Keys(c.m.byName))))
				continue
			}
			for _, side := range record.Sides {
				if f.sides[side].None {
					c.fail("match", c.system(side), "%s has no such field there, so nothing can match by it", name)
				}
			}
			if f.Of == Block {
				c.fail("match", "", "%s is a list of blocks; match by one field that tells the records from each other", name)
			}
			if len(rule) > 1 && f.Of != "" {
				c.fail("match", "", "%s is a list; a list can only be a rule of its own", name)
			}
		}
	}
}
