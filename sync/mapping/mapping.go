package mapping

import (
	"maps"
	"slices"

	"nightporter/sync/mapping/expression"
	"nightporter/sync/mapping/phone"
	"nightporter/sync/record"
)

// Mapping is a compiled Spec. It never changes, but for what it remembers so as not to
// work it out again.
type Mapping struct {
	spec      Spec
	fields    []*field
	byName    map[string]*field
	paths     [2][]string
	prints    [2]string
	countries func() map[string]string // folded name of a country -> alpha-2; made when first asked for
	shownBy   [2]map[string]*field     // native path -> the country field kept there
	phones    *phone.Reader
}

// Field is what the rest of the program needs to know of a canonical field.
type Field struct {
	Name     string
	Type     string
	Of       string // type of the elements of a list or set
	Refer    string // of a reference: the job of the record that it names
	Together string // group of fields that change as one
	Required bool
	Has      [2]bool // whether the side keeps it itself: neither None nor Const
}

// field is a FieldSpec, checked and resolved.
type field struct {
	FieldSpec
	m     *Mapping
	codec codec
	of    *field   // of a list: its elements
	each  []*field // of a list of blocks: their entries
	sides [2]side
	never []string             // folded patterns of canonical values that stand for nothing
	table [2]map[string]string // folded native word -> canonical
	words map[string]int       // folded canonical word -> row of the table
	parts map[string][]string  // of a reference: part -> folded patterns that stand for nothing
}

// side is a SideSpec, checked and resolved.
type side struct {
	SideSpec
	which    record.Side
	inputs   []string // native paths the field is read from
	pieces   []*field // fields that share Path, in order; nil where it is not shared
	layout   string   // Format as a layout of package time, if it is a pattern
	constant record.Value
	fallback record.Value // what records without a value stand for
	regions  []string     // native paths that show the country of a phone
	region   string       // the country to read phones by where none is shown
	currency string       // of money: the currency, where it is no path
	read     *expression.Expression
	write    *expression.Expression
}

// owns reports whether the side keeps the field itself.
func (s *side) owns() bool { return !s.None && !s.constant.Observed() }

// writes is the native paths that writing the field can change.
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

// Paths is the native paths of a side that must be read: those of all fields, of
// the countries that phones are read by, of the parts of references. Sorted.
func (m *Mapping) Paths(side record.Side) []string { return slices.Clone(m.paths[side]) }

// Fields is the canonical fields, in the order of the Spec.
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

// Inputs is the native paths that a canonical field is read from, sorted; none
// for an unknown field and for a side that has no such field.
func (m *Mapping) Inputs(side record.Side, field string) []string {
	f, ok := m.byName[field]
	if !ok {
		return nil
	}
	return slices.Clone(f.sides[side].inputs)
}

// ValuePath is the one native path at which a side shows a field's value, "" where it is
// read from several. alone says that nothing else is read with it, as the country of a
// phone is from a column of its own.
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

// Alike is the native paths at which any two records of a side show the same if they have the
// same value of a field; ok is false where none is known. What is read from several places
// may be the same by other ones, of a list one element is enough to be known by, a piece is
// no more than a part of what stands at its path, and two names may mean the same record.
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

// PartPath is the native path at which a side shows a part of a reference, "" where it
// does not.
func (m *Mapping) PartPath(side record.Side, field, part string) string {
	f, ok := m.byName[field]
	if !ok {
		return ""
	}
	return f.sides[side].Parts[part]
}

// Partly reports whether a side shows words of a field that it does not take.
func (m *Mapping) Partly(side record.Side, field string) bool {
	f, ok := m.byName[field]
	return ok && len(f.sides[side].Words) > 0
}

// Outputs is the native paths that writing a canonical field can change, sorted.
func (m *Mapping) Outputs(side record.Side, field string) []string {
	f, ok := m.byName[field]
	if !ok {
		return nil
	}
	return f.sides[side].writes()
}

// collectPaths gathers the paths of all fields of one side.
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
