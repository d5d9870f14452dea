package mapping

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"nightporter/sync/mapping/clock"
	"nightporter/sync/mapping/expression"
	"nightporter/sync/mapping/phone"
	"nightporter/sync/record"
)

// side checks and resolves one side of a field.
func (c *compiler) side(f *field, which record.Side) {
	spec := f.Sides[which]
	s := &f.sides[which]
	*s = side{SideSpec: spec, which: which, fallback: record.Nothing()}
	if !c.where(f, s) || spec.None {
		return
	}
	if spec.Const != nil {
		s.constant = c.canonical(f, which, *spec.Const)
		return
	}
	if spec.Default != nil {
		s.fallback = c.canonical(f, which, *spec.Default)
	}
	c.format(f, s)
	c.form(f, s)
	c.money(f, s)
	c.region(f, s)
	c.expressions(f, s)
	if len(s.Paths) > 0 && s.Split == "" {
		s.Split = " "
	}
	s.inputs = inputs(s)
	if len(s.Words) > 0 && f.As != Enum {
		c.fail(f.Name, c.system(which), "words that may be written are for an enum, not for a %s", f.As)
	}
}

// inputs returns the native paths from which a side reads a field, sorted.
func inputs(s *side) []string {
	var paths []string
	if s.Path != "" {
		paths = append(paths, s.Path)
	}
	paths = append(paths, s.Paths...)
	paths = append(paths, s.regions...)
	for _, p := range s.Parts {
		paths = append(paths, p)
	}
	if s.Currency != "" && s.currency == "" {
		paths = append(paths, s.Currency)
	}
	if s.read != nil {
		paths = append(paths, s.read.Paths()...)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// where reports whether the side says exactly once where it keeps the field. If not, it adds a mistake.
func (c *compiler) where(f *field, s *side) bool {
	ways := 0
	for _, given := range []bool{s.None, s.Const != nil, s.Path != "", len(s.Paths) > 0, len(s.Parts) > 0} {
		if given {
			ways++
		}
	}
	if slices.Contains(s.Paths, "") || slices.Contains(slices.Collect(maps.Values(s.Parts)), "") {
		c.fail(f.Name, c.system(s.which), "a path is empty")
		return false
	}
	switch {
	case ways == 0 && s.Read == "":
		c.fail(f.Name, c.system(s.which), "no path; name the field of this system, or leave the side out")
	case ways > 1:
		c.fail(f.Name, c.system(s.which), "it is to be found in several ways; give one of path, paths, parts and const")
	case (f.As == Reference) != (len(s.Parts) > 0) && !s.None:
		c.fail(f.Name, c.system(s.which), "a reference names its parts (id, phone, name, email), and only a reference does")
	case s.None && (s.Read != "" || s.Write != ""):
		c.fail(f.Name, c.system(s.which), "an expression for a field that this side does not have")
	default:
		return true
	}
	return false
}

// canonical reads a constant or a default of the Spec as a canonical value.
func (c *compiler) canonical(f *field, which record.Side, text string) record.Value {
	at := spot{f: f, s: &side{which: which}}
	v, n := record.Value{}, note{code: BadShape}
	switch f.As {
	case Enum:
		if i, ok := f.words[fold(text)]; ok {
			return record.OfText(f.Table[i].Word)
		}
	case Money, Reference, List, Set:
	default:
		v, n = f.codec.read(at, record.OfText(text))
	}
	if n.bad() || !v.Observed() {
		c.fail(f.Name, c.system(which), "%q can't be a constant or default of a %s", text, f.As)
	}
	return v
}

// formats returns the named formats of a type, nil for a type without formats.
func formats(as string) []string {
	switch as {
	case Number, Bool, Enum, Money, Reference:
		return []string{FormatText, FormatNumber}
	case Phone:
		return []string{FormatE164, FormatDigits, FormatZeros, FormatInternational, FormatNational}
	case Date:
		return []string{FormatInstant, FormatEpoch, FormatMillis, FormatLocal, FormatUTC}
	case Instant:
		return []string{FormatRFC3339, FormatLocal, FormatUTC, FormatEpoch, FormatMillis, FormatFloat}
	case Language, Country:
		return []string{FormatAlpha3}
	case Block:
		return []string{FormatJSON}
	}
	return nil
}

func (c *compiler) format(f *field, s *side) {
	as := f.single()
	if known := formats(as); s.Format != "" && !slices.Contains(known, s.Format) {
		c.layout(f, s, as, known)
	}
	if as == Date && s.layout != "" && strings.Contains(s.layout, "15") {
		c.fail(f.Name, c.system(s.which), "a date has no hour; take HH out of the format")
	}
	if zoned(as, s) && !c.zone {
		c.fail(f.Name, c.system(s.which), "the format %q needs a time zone", s.Format)
	}
}

// layout reads a format that is not one of the named ones. For a date or an instant it may be a pattern
// such as DD/MM/YYYY.
func (c *compiler) layout(f *field, s *side, as string, known []string) {
	layout, ok := clock.Layout(s.Format)
	switch dated := as == Date || as == Instant; {
	case dated && ok:
		s.layout = layout
	case dated:
		c.fail(f.Name, c.system(s.which), "unknown format %q; known are %s and patterns such as DD/MM/YYYY or YYYY-MM-DD HH:mm:ss",
			s.Format, strings.Join(known, ", "))
	case known == nil:
		c.fail(f.Name, c.system(s.which), "a %s has no formats", as)
	default:
		c.fail(f.Name, c.system(s.which), "unknown format %q%s", s.Format, nearest(s.Format, known))
	}
}

// form checks how the side joins and splits texts, and how it writes an empty value.
func (c *compiler) form(f *field, s *side) {
	name := c.system(s.which)
	texts, list := f.As == Text || f.As == Name, f.As == List || f.As == Set
	for _, bad := range []struct {
		is   bool
		text string
	}{
		{len(s.Paths) > 0 && s.Read == "" && !texts, fmt.Sprintf("several paths make a text or a name, not a %s; use read and write", f.As)},
		{s.Split != "" && !texts && !list, fmt.Sprintf("a %s is not split", f.As)},
		{!oneOf(s.Cut, CutFirst, CutLast), fmt.Sprintf("unknown cut %q; it is %s or %s", s.Cut, CutFirst, CutLast)},
		{s.Element != "" && (!list || s.Split != ""), "only a list of maps has elements under a key"},
		{!oneOf(s.Empty, EmptyNull, EmptyText), fmt.Sprintf("unknown way to write an empty value %q; it is %s or %s", s.Empty, EmptyNull, EmptyText)},
		{s.Default != nil && s.Filler != "", "a default and a filler exclude each other: nothing can't be read as both"},
		{s.Filler != "" && list, "a list has no filler"},
		{s.Piece < 0 || s.Piece > 0 && (s.Split == "" || s.Path == ""), "a piece needs a path and what it is split by"},
		{s.MaxRunes < 0, "the longest text must not be below 0"},
	} {
		if bad.is {
			c.fail(f.Name, name, "%s", bad.text)
		}
	}
}

// oneOf reports whether a word is empty or one of the known words.
func oneOf[T ~string](word T, known ...T) bool { return word == "" || slices.Contains(known, word) }

func (c *compiler) money(f *field, s *side) {
	name := c.system(s.which)
	if f.As != Money {
		if s.Unit != "" || s.Currency != "" {
			c.fail(f.Name, name, "only money has a unit and a currency")
		}
		return
	}
	if s.Unit != "" && s.Unit != UnitDecimal && s.Unit != UnitMinor {
		c.fail(f.Name, name, "unknown unit %q; it is %s or %s", s.Unit, UnitDecimal, UnitMinor)
	}
	if s.Path == "" {
		c.fail(f.Name, name, "money has one path, of its amount")
	}
	if s.Currency == "" {
		c.fail(f.Name, name, "money needs a currency: a path, or a code such as EUR")
	}
	if _, ok := minorDigits(s.Currency); ok {
		s.currency = s.Currency
	}
	if s.Read != "" || s.Write != "" {
		c.fail(f.Name, name, "money is not read or written by an expression")
	}
}

// regions checks the regions of a field: the countries, and the paths of countries, by which its phones
// are read.
func (c *compiler) regions(f *field) {
	for _, r := range f.Region {
		system, path, dotted := strings.Cut(r, ".")
		switch {
		case !dotted && !phone.Region(r):
			c.fail(f.Name, "", "unknown region %q; write a country as IT, or a system's field as %s.country", r, c.system(record.Right))
		case dotted && path == "":
			c.fail(f.Name, "", "region %q: no field after the system's name", r)
		case dotted && !slices.Contains(c.m.spec.Systems[:], system):
			c.fail(f.Name, "", "region %q: unknown system %q%s", r, system, nearest(system, c.m.spec.Systems[:]))
		}
	}
}

// region collects how one side finds the country of a phone: the side's own paths of countries, and the
// constant country for when these paths show none.
func (c *compiler) region(f *field, s *side) {
	for _, r := range f.Region {
		system, path, dotted := strings.Cut(r, ".")
		switch {
		case !dotted && s.region == "":
			s.region = r
		case dotted && system == c.m.spec.Systems[s.which]:
			s.regions = append(s.regions, path)
		}
	}
}

func (c *compiler) expressions(f *field, s *side) {
	name := c.system(s.which)
	if f.As == Reference && (s.Read != "" || s.Write != "") {
		c.fail(f.Name, name, "a reference is not read or written by an expression")
		return
	}
	if s.Split != "" && s.Path != "" && s.Read+s.Write != "" {
		c.fail(f.Name, name, "a piece of a text is not read or written by an expression")
		return
	}
	s.read = c.expression(f, s, "read", s.Read)
	s.write = c.expression(f, s, "write", s.Write)
	if s.write != nil && s.Path == "" && len(s.Paths) == 0 {
		c.fail(f.Name, name, "write needs the path that its result goes to")
	}
	if s.read != nil && s.Path == "" && len(s.Paths)+len(s.read.Paths()) == 0 {
		c.fail(f.Name, name, `read needs a path, or record["path"] in it`)
	}
}

func (c *compiler) expression(f *field, s *side, which, source string) *expression.Expression {
	if source == "" {
		return nil
	}
	e, err := expression.Compile(source, c.m.spec.Zone)
	if err != nil {
		c.fail(f.Name, c.system(s.which), "%s: %v", which, err)
	}
	return e
}
