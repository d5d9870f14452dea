package mapping

import (
	"slices"

	"nightporter/sync/mapping/card"
	"nightporter/sync/record"
)

// Nobody can read a value that was blanked, because nobody knows what stood there. Such a value is not
// a match key, it equals no other value, and it is never written. If other words stand beside the card,
// the text can still be used, with the mark in place of the card. Only in a field of a match rule it can't.

// blankedNote says that a value was blanked.
var blankedNote = note{code: Blanked, text: "it holds what may be a payment card, and is neither compared nor written (privacy.blank)"}

// blankedAway reports whether a canonical value of the field can't be used, because a card in it was
// blanked. A text with other words beside the card can be used, except in a field of a match rule.
func (f *field) blankedAway(v record.Value) bool {
	if !f.m.spec.BlankCards {
		return false
	}
	as, tells := f.As, card.Only
	if as == List || as == Set {
		as = f.Of
	}
	if f.isKey() {
		tells = card.Marked
	}
	if !isText(as) {
		return false
	}
	values := v.List()
	if v.Type() != record.List {
		values = []record.Value{v}
	}
	return slices.ContainsFunc(values, func(e record.Value) bool { return e.Type() == record.Text && tells(card.Blank(e.Text())) })
}

// isKey reports whether the field is in a match rule.
func (f *field) isKey() bool {
	return slices.ContainsFunc(f.m.spec.Match, func(rule []string) bool { return slices.Contains(rule, f.Name) })
}

// Matches reports whether a field is in a match rule.
func (m *Mapping) Matches(field string) bool {
	f, ok := m.byName[field]
	return ok && f.isKey()
}

// readsBlanked reports whether the side reads the field by an expression, and one of the inputs is
// nothing but a blanked card. Anything made from the asterisks is not a value of the record.
func (at spot) readsBlanked() bool {
	if !at.f.m.spec.BlankCards || at.s.read == nil || at.f.As == Phone {
		return false
	}
	return slices.ContainsFunc(at.s.inputs, func(p string) bool {
		v := at.native[p]
		return v.Type() == record.Text && card.Only(card.Blank(v.Text()))
	})
}

// blankedBeside reports whether a piece of a shared text was blanked and is not to be written now. The
// text is written whole, so the asterisks would replace what stands there.
func blankedBeside(pieces []*field, canonical record.Fields, texts []string) bool {
	for i, f := range pieces {
		if !canonical[f.Name].Observed() && f.m.spec.BlankCards && card.Marked(texts[i]) {
			return true
		}
	}
	return false
}

// IsKey reports whether a field is in a match rule.
func (m *Mapping) IsKey(field string) bool {
	f, ok := m.byName[field]
	return ok && f.isKey()
}

// BlankedKeys returns the fields of match rules that can't be read from a record because they were
// blanked. problems are the Problems that Read returned for the record.
func (m *Mapping) BlankedKeys(problems []Problem) []string {
	var out []string
	for _, p := range problems {
		if p.Code == Blanked && m.byName[p.Field].isKey() {
			out = append(out, p.Field)
		}
	}
	return out
}
