package mapping

import (
	"slices"

	"golang.org/x/net/idna"

	"nightporter/sync/record"
)

// fieldPrint holds everything that decides how one field is read from one side. What decides nothing about
// this field stays out of it: where a new zone or a new version of a library changes no value of a field,
// nobody is to be asked about the field.
type fieldPrint struct {
	Name, As, Of, Refer string
	Side                SideSpec
	Pieces              int
	Region              []string
	Table               [][]string
	MaxRunes            int
	Never               []string
	Parts               map[string][]string
	Each                []fieldPrint `json:",omitempty"`
	Key                 []string     `json:",omitempty"`

	Reader    int
	Libraries []string          `json:",omitempty"`
	Zone      string            `json:",omitempty"`
	Cards     bool              `json:",omitempty"`
	Native    map[string]string `json:",omitempty"` // by native path: see Spec.Native
}

// print returns what decides how the field is read from a side.
func (f *field) print(side record.Side) fieldPrint {
	p := f.printAlone(side)
	for _, e := range f.each { // the paths of entries are keys of an element: no connector knows them
		p.Each = append(p.Each, e.printAlone(side))
	}
	p.Native = f.natives(side)
	return p
}

func (f *field) printAlone(side record.Side) fieldPrint {
	s := &f.sides[side]
	p := fieldPrint{
		Name: f.Name, As: f.As, Of: f.Of, Refer: f.Refer, Side: s.SideSpec, Pieces: len(s.pieces),
		Region: append([]string{s.region}, s.regions...), MaxRunes: f.MaxRunes, Never: f.never, Parts: f.parts, Key: f.Key,
		Reader: readerVersion, Libraries: f.libraries(s), Cards: f.m.spec.BlankCards && f.mayHoldCard(s),
	}
	p.Side.Write, p.Side.Empty, p.Side.MaxRunes, p.Side.Words = "", "", 0, nil
	for _, row := range f.Table {
		p.Table = append(p.Table, append([]string{row.Word}, row.Sides[side]...))
	}
	if s.read != nil || zoned(f.single(), s) {
		p.Zone = f.m.spec.Zone.String()
	}
	return p
}

// single returns the type of the field's single values: of a list, that of its elements.
func (f *field) single() string {
	if f.Of != "" {
		return f.Of
	}
	return f.As
}

// zoned reports whether a side spells the values of a type in the time of the house's zone.
func zoned(as string, s *side) bool {
	switch as {
	case Instant:
		return s.Format == FormatLocal || s.layout != ""
	case Date:
		return slices.Contains([]string{FormatInstant, FormatEpoch, FormatMillis}, s.Format)
	}
	return false
}

// mayHoldCard reports whether it changes the field's value if cards are blanked on a side. Digits that are
// read as a phone, a number or a time are never those of a card, see Blank.
func (f *field) mayHoldCard(s *side) bool {
	switch {
	case !s.owns():
		return false
	case f.As == Reference:
		for part := range s.Parts {
			if part != PartID && part != PartPhone && part != PartEmail {
				return true
			}
		}
		return false
	}
	return s.read != nil || isText(f.single()) || f.Of == Block
}

// libraries returns the versions of the libraries whose data decides how a side reads the field. Unicode
// never changes the normal form of a letter that it has, so it decides nothing about texts.
func (f *field) libraries(s *side) []string {
	var used []string
	phone, email := f.single() == Phone, f.single() == Email
	if f.As == Reference {
		phone, email = s.Parts[PartPhone] != "", s.Parts[PartEmail] != ""
	}
	if phone {
		used = append(used, phoneVersion)
	}
	if email {
		used = append(used, idna.UnicodeVersion)
	}
	if f.single() == Country || f.single() == Language || phone && len(s.regions) > 0 {
		used = append(used, textVersion)
	}
	if s.read != nil {
		used = append(used, exprVersion)
	}
	return used
}

// natives returns how the side's connector makes values of what stands at the paths that the field is read
// from. Paths that it shows as they stand are left out.
func (f *field) natives(side record.Side) map[string]string {
	reads := f.m.spec.Native[side]
	if reads == nil {
		return nil
	}
	out := map[string]string{}
	for _, path := range f.sides[side].inputs {
		if how := reads(path); how != "" {
			out[path] = how
		}
	}
	return out
}
