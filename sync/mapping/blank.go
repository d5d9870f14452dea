package mapping

import (
	"maps"
	"slices"

	"nightporter/sync/mapping/card"
	"nightporter/sync/record"
)

// CardMark is written in the place of a payment card.
const CardMark = card.Mark

// HeldMark is written in its place in what is kept of a system's own text.
const HeldMark = card.HeldMark

// Blank returns the native values of a side with payment cards blanked. The result is kept, compared
// and shown instead of the values in the system. It returns native itself if there is no card, or if
// cards are not to be blanked.
//
// The places of cards have card.HeldMark, so that what is kept tells which texts hold one in the system. Read and
// Write take it for card.Mark, and the mark goes to no system.
//
// Blank leaves a value unchanged if a field reads the value as something other than a text: as a
// phone that can be called, as the id of a reference, as a time in milliseconds.
func (m *Mapping) Blank(side record.Side, native record.Fields) record.Fields {
	if !m.spec.BlankCards {
		return native
	}
	blanked := record.Fields{}
	for path, v := range native {
		if w := withoutCards(v); !w.Equal(v) && !m.readsAsOther(side, path, native) {
			blanked[path] = w
		}
	}
	for _, f := range m.fields {
		s := &f.sides[side]
		if len(s.Paths) == 0 || s.read != nil {
			continue
		}
		if !cardAcross(s, native.With(blanked)) {
			continue
		}
		for _, p := range s.Paths {
			if v := native[p]; v.Observed() {
				blanked[p] = withoutDigits(v)
			}
		}
	}
	if len(blanked) == 0 {
		return native
	}
	out := maps.Clone(native)
	maps.Copy(out, blanked)
	return out
}

// BlankText returns a text with payment cards blanked, or the text itself if cards are not to be
// blanked. It is for a system's own messages, which may repeat what stands in a record.
func (m *Mapping) BlankText(s string) string {
	if !m.spec.BlankCards {
		return s
	}
	return card.Blank(s)
}

// withoutCards returns a value with the cards in its texts and numbers blanked.
func withoutCards(v record.Value) record.Value {
	switch v.Type() {
	case record.Text, record.Number:
		if s := card.BlankHeld(v.Text()); s != v.Text() {
			return record.OfText(s)
		}
	case record.List:
		es := make([]record.Value, len(v.List()))
		for i, e := range v.List() {
			es[i] = withoutCards(e)
		}
		return record.OfList(es...)
	case record.Map:
		es := make(map[string]record.Value, len(v.Map()))
		for k, e := range v.Map() {
			es[k] = withoutCards(e)
		}
		return record.OfMap(es)
	case record.Absent, record.Null, record.Bool, record.Content:
	}
	return v
}

// readsAsOther reports whether a field reads the value at a path as something other than a text. Then
// its digits are not those of a card.
func (m *Mapping) readsAsOther(side record.Side, path string, native record.Fields) bool {
	return slices.ContainsFunc(m.fields, func(f *field) bool {
		s := &f.sides[side]
		at := spot{f: f, s: s, native: native}
		switch {
		case !s.owns() || !slices.Contains(s.inputs, path):
			return false
		case f.As == Reference:
			return at.partReadsAsOther(path)
		case s.read != nil && f.As != Phone: // an expression is given texts with cards blanked
			return native[path].Type() == record.Number
		case path != s.Path && path != s.Currency, isText(f.As), isText(f.Of), f.Of == Block:
			return false
		}
		v, _ := at.readNative()
		return v.Observed() && !v.Empty()
	})
}

// partReadsAsOther does for the parts of a reference what readsAsOther does for fields.
func (at spot) partReadsAsOther(path string) bool {
	for part, p := range at.s.Parts {
		switch {
		case p != path:
		case part == PartID:
			return true
		case part == PartPhone, part == PartEmail:
			if v, _ := at.readPart(part, at.native[p]); v.Observed() && !v.Empty() {
				return true
			}
		}
	}
	return false
}

func isText(as string) bool { return as == Text || as == Name }

// cardAcross reports whether the texts of a side's several paths hold a card when they are joined.
func cardAcross(s *side, native record.Fields) bool {
	var texts []string
	for _, p := range s.Paths {
		if t, n := scalar(native[p]); !n.bad() {
			texts = append(texts, clean(t))
		}
	}
	whole := joinTexts(texts, s.Split)
	return card.Blank(whole) != whole
}

// withoutDigits returns a text with each group of digits blanked, see card.BlankDigits. Other values
// are returned unchanged.
func withoutDigits(v record.Value) record.Value {
	t, n := scalar(v)
	if blanked := card.BlankDigits(t); !n.bad() && blanked != t {
		return record.OfText(blanked)
	}
	return v
}
