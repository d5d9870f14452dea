package mapping

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"nightporter/sync/mapping/phone"
	"nightporter/sync/record"
)

// Compile checks the whole Spec and makes a Mapping from it. The error joins one *SpecError for every
// mistake.
func Compile(spec Spec) (*Mapping, error) {
	c := &compiler{m: &Mapping{
		spec: spec, byName: map[string]*field{}, countries: sync.OnceValue(countryNames), phones: phone.NewReader(),
		shownBy: [2]map[string]*field{{}, {}},
	}, zone: spec.Zone != nil}
	if spec.Zone == nil {
		c.m.spec.Zone = time.UTC
	}
	c.systems()
	for i := range spec.Fields {
		c.field(spec.Fields[i])
	}
	c.share()
	c.notAValue()
	c.match()
	if len(c.errs) > 0 {
		return nil, errors.Join(c.errs...)
	}
	for _, side := range record.Sides {
		c.m.paths[side] = c.m.collectPaths(side)
		c.m.prints[side] = c.m.fingerprint(side)
	}
	return c.m, nil
}

// compiler resolves a Spec, and collects every mistake on the way.
type compiler struct {
	m    *Mapping
	zone bool // a zone was given
	errs []error
}

func (c *compiler) fail(field, side, format string, args ...any) {
	c.errs = append(c.errs, &SpecError{Field: field, Side: side, Text: fmt.Sprintf(format, args...)})
}

// system returns the name of a side's system, or left or right where the Spec gives no name.
func (c *compiler) system(side record.Side) string {
	if name := c.m.spec.Systems[side]; name != "" {
		return name
	}
	return side.String()
}

func (c *compiler) systems() {
	if s := c.m.spec.Systems; s[record.Left] == "" || s[record.Right] == "" || s[record.Left] == s[record.Right] {
		c.fail("systems", "", "both sides need a name, and not the same")
	}
}

func (c *compiler) field(spec FieldSpec) {
	if spec.As == "" {
		spec.As = Text
	}
	if (spec.As == List || spec.As == Set) && spec.Of == "" {
		spec.Of = Text
		if len(spec.Each) > 0 {
			spec.Of = Block
		}
	}
	f := &field{FieldSpec: spec, m: c.m}
	switch {
	case spec.Name == "":
		c.fail("(without a name)", "", "every field needs a name")
		return
	case c.m.byName[spec.Name] != nil:
		c.fail(spec.Name, "", "it is mapped twice; keep one of the two")
		return
	}
	c.m.byName[spec.Name] = f
	c.m.fields = append(c.m.fields, f)
	var ok bool
	if f.codec, ok = codecOf(spec.As); !ok {
		c.fail(spec.Name, "", "unknown type %q%s", spec.As, nearest(spec.As, types()))
		return
	}
	c.table(f)
	c.typeNeeds(f)
	c.regions(f)
	for _, side := range record.Sides {
		c.side(f, side)
	}
	c.element(f)
	if !f.sides[record.Left].owns() && !f.sides[record.Right].owns() {
		c.fail(spec.Name, "", "neither side keeps it; name a path on at least one")
	}
}

// typeNeeds checks that the field has what its type needs, and nothing that only other types may have.
func (c *compiler) typeNeeds(f *field) {
	if (f.As == Reference) != (f.Refer != "") {
		c.fail(f.Name, "", "a reference names the job of the record that it stands for, and only a reference does")
	}
	if f.Of != "" {
		switch f.Of {
		case Block:
		case List, Set, Money, Reference:
			c.fail(f.Name, "", "the elements of a list can't be of type %q", f.Of)
		default:
			if _, ok := codecOf(f.Of); !ok {
				c.fail(f.Name, "", "unknown type %q of the elements%s", f.Of, nearest(f.Of, types()))
			}
		}
		if f.As != List && f.As != Set {
			c.fail(f.Name, "", "only a list or a set has elements of a type")
		}
	}
	if f.MaxRunes < 0 {
		c.fail(f.Name, "", "the longest text must not be below 0")
	}
	if len(f.Region) > 0 && f.As != Phone && f.Of != Phone && f.As != Reference {
		c.fail(f.Name, "", "only a phone is read by a region")
	}
}

// table checks the table of a field, and makes the maps by which words are looked up.
func (c *compiler) table(f *field) {
	worded := f.As
	if f.Of != "" {
		worded = f.Of
	}
	f.table = [2]map[string]string{{}, {}}
	f.words = map[string]int{}
	if worded == Enum && len(f.Table) == 0 {
		c.fail(f.Name, "", "an enum needs a table of its words")
	}
	if len(f.Table) > 0 && !slices.Contains([]string{Enum, Bool, Language, Country}, worded) {
		c.fail(f.Name, "", "a table is for an enum, a bool, a language or a country, not for a %s", worded)
		return
	}
	for i, row := range f.Table {
		word := fold(row.Word)
		if _, twice := f.words[word]; twice || word == "" {
			c.fail(f.Name, "", "row %d of the table: the word %q is empty or stands in another row", i+1, row.Word)
			continue
		}
		if !c.wordFits(f, worded, row.Word) {
			continue
		}
		f.words[word] = i
		for _, side := range record.Sides {
			for _, native := range row.Sides[side] {
				if fold(native) == "" {
					c.fail(f.Name, c.system(side), "row %s of the table has an empty word", row.Word)
				}
				// A native word may stand in several rows. The upper row counts.
				if _, upper := f.table[side][fold(native)]; !upper {
					f.table[side][fold(native)] = row.Word
				}
			}
		}
		if len(row.Sides[record.Left])+len(row.Sides[record.Right]) == 0 {
			c.fail(f.Name, "", "row %s of the table has no word on either side", row.Word)
		}
	}
}

// wordFits checks that a canonical word of the table is a value of the type: a bool has true and false,
// a country and a language have their codes.
func (c *compiler) wordFits(f *field, as, word string) bool {
	ok := true
	switch as {
	case Bool:
		ok = word == "true" || word == "false"
	case Country:
		ok = c.m.countryOf(word) == word
	case Language:
		v, _ := readLanguage(spot{f: f, s: &side{}}, record.OfText(word))
		ok = v.Text() == word
	}
	if !ok {
		c.fail(f.Name, "", "row %q of the table: not a %s; write true or false, a code as IT, a code as it", word, as)
	}
	return ok
}

// element makes the field by which the elements of a list are read and written.
func (c *compiler) element(f *field) {
	if f.Of == Block || len(f.Each) > 0 {
		c.each(f)
		return
	}
	if f.Of == "" {
		return
	}
	of := &field{FieldSpec: f.FieldSpec, m: c.m, table: f.table, words: f.words}
	of.As, of.Of = f.Of, ""
	of.codec, _ = codecOf(f.Of)
	for _, which := range record.Sides {
		s := f.sides[which]
		of.sides[which] = side{
			SideSpec: SideSpec{Format: s.Format}, which: which, layout: s.layout, regions: s.regions, region: s.region,
		}
	}
	f.of = of
}

// nearest returns the end of an error message. It asks whether the most similar of the known words was
// meant. If no known word is similar, it lists all of them.
func nearest(word string, among []string) string {
	best, least := "", len(word)/3+2
	for _, w := range among {
		if d := distance(strings.ToLower(word), strings.ToLower(w)); d < least {
			best, least = w, d
		}
	}
	if best == "" {
		return "; known are " + strings.Join(among, ", ")
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// distance returns how many bytes must be changed, added or dropped to get from one word to the other.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
