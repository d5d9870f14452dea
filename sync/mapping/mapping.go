package mapping

import (
	"maps"
	"slices"

	"nightporter/sync/mapping/expression"
	"nightporter/sync/mapping/phone"
	"nightporter/sync/record"
)

// Mapping is a compiled Spec. It never changes, except that it remembers results to save work: the
// names of countries, and phone numbers that it has read.
type Mapping struct {
	spec      Spec
	fields    []*field
	byName    map[string]*field
	paths     [2][]string
	prints    [2]string
	countries func() map[string]string // folded name of a country -> alpha-2; made at the first call
	shownBy   [2]map[string]*field     // native path -> the field of type country that is kept there
	phones    *phone.Reader
}

// Field is what the rest of the program needs to know of a canonical field.
type Field struct {
	Name     string
	Type     string
	Of       string // type of the elements of a list or set
	Refer    string // of a reference: the job of the record that it names
	Together string // name of a group; the fields of a group change together
	Required bool
	Has      [2]bool // the side itself keeps the field: neither None nor Const
}

// field is a FieldSpec, checked and resolved.
type field struct {
	FieldSpec
	m     *Mapping
	codec codec
	of    *field   // of a list: its elements
	each  []*field // of a list of blocks: their entries
	sides [2]side
	never []string             // folded patterns of canonical values that are not real values (NotAValue)
	table [2]map[string]string // folded native word -> canonical
	words map[string]int       // folded canonical word -> row of the table
	parts map[string][]string  // of a reference: part -> folded patterns that are not real values
}

// side is a SideSpec, checked and resolved.
type side struct {
	SideSpec
	which    record.Side
	inputs   []string // native paths from which the field is read
	pieces   []*field // fields that share Path, in order; nil where it is not shared
	layout   string   // Format as a layout of package time, if it is a pattern
	constant record.Value
	fallback record.Value // what an empty value is read as: Default, or Nothing
	regions  []string     // native paths that show the country of a phone
	region   string       // the country to read phones by where none is shown
	currency string       // of money: the code of the currency; "" where Currency is a path
	read     *expression.Expression
	write    *expression.Expression
}

// owns reports whether the side itself keeps the field: neither None nor Const.
func (s *side) owns() bool { return !s.None && !s.constant.Observed() }

// writes returns the native paths that writing the field can change, sorted.
func (s *side) writes() []string {
	if !s.owns() {
		return nil
	}
	var paths []string
	if s.Path != "" {
		paths = append(paths, s.Path)
	}
	if s.Read == "" || s.Write != "" {
		paths = append(paths, s.Paths...)
	}
	for _, p := range s.Parts {
		paths = append(paths, p)
	}
	if s.Currency != "" && s.currency == "" {
		paths = append(paths, s.Currency)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// Paths returns the native paths of a side that must be read, sorted. They include the paths that
// show a phone's country, and the parts of references.
func (m *Mapping) Paths(side record.Side) []string { return slices.Clone(m.paths[side]) }

// Fields returns the canonical fields, in the order of the Spec.
func (m *Mapping) Fields() []Field {
	out := make([]Field, len(m.fields))
	for i, f := range m.fields {
		out[i] = Field{
			Name: f.Name, Type: f.As, Of: f.Of, Refer: f.Refer, Together: f.Together, Required: f.Required,
			Has: [2]bool{f.sides[record.Left].owns(), f.sides[record.Right].owns()},
		}
	}
	return out
}

// Inputs returns the native paths from which a canonical field is read, sorted. There are none for an
// unknown field, and none on a side without the field.
func (m *Mapping) Inputs(side record.Side, field string) []string {
	f, ok := m.byName[field]
	if !ok {
		return nil
	}
	return slices.Clone(f.sides[side].inputs)
}

// ValuePath returns the native path at which a side shows a field's value, "" where the value is made
// from several paths. alone is false where another path is needed to read it: a phone may have its
// country in a column of its own.
func (m *Mapping) ValuePath(side record.Side, field string) (path string, alone bool) {
	in := m.Inputs(side, field)
	switch {
	case len(in) == 1:
		return in[0], true
	case len(in) > 1 && m.byName[field].As == Phone:
		return m.byName[field].sides[side].Path, false
	}
	return "", false
}

// Alike returns the native paths at which two records of a side show the same if they have the same
// value of a field. A constant has no paths. ok is false where no such paths are known:
//
//   - a field read from several paths may get the same value in another way;
//   - of a list, one common element is enough to recognise a record;
//   - a piece is only a part of the text at its path;
//   - a reference with both an id and a phone, or with neither, may name the same record in two ways.
func (m *Mapping) Alike(side record.Side, field string) (paths []string, ok bool) {
	f, known := m.byName[field]
	if !known || f.Of != "" {
		return nil, false
	}
	s := &f.sides[side]
	if s.constant.Observed() {
		return nil, true
	}
	if f.As == Reference {
		id, phone := s.Parts[PartID], s.Parts[PartPhone]
		if (id == "") == (phone == "") {
			return nil, false
		}
		return []string{id + phone}, true
	}
	path, _ := m.ValuePath(side, field)
	if path == "" || len(s.pieces) > 0 || s.read != nil && len(s.read.Paths()) > 0 {
		return nil, false
	}
	return []string{path}, true
}

// PartPath returns the native path at which a side shows a part of a reference, "" if the side does
// not have that part.
func (m *Mapping) PartPath(side record.Side, field, part string) string {
	f, ok := m.byName[field]
	if !ok {
		return ""
	}
	return f.sides[side].Parts[part]
}

// Partly reports whether only some words of a field may be written to a side: it may show other words
// that it does not accept.
func (m *Mapping) Partly(side record.Side, field string) bool {
	f, ok := m.byName[field]
	return ok && len(f.sides[side].Words) > 0
}

// Outputs returns the native paths that writing a canonical field can change, sorted.
func (m *Mapping) Outputs(side record.Side, field string) []string {
	f, ok := m.byName[field]
	if !ok {
		return nil
	}
	return f.sides[side].writes()
}

// collectPaths returns the paths from which any field of a side is read, or to which it is written.
func (m *Mapping) collectPaths(side record.Side) []string {
	set := map[string]bool{}
	for _, f := range m.fields {
		for _, p := range f.sides[side].inputs {
			set[p] = true
		}
		for _, p := range f.sides[side].writes() {
			set[p] = true
		}
	}
	return slices.Sorted(maps.Keys(set))
}
