package mapping

import (
	"slices"

	"nightporter/sync/mapping/card"
	"nightporter/sync/record"
)

// A value that was blanked is one that nobody can read: what stood there is not known. It is no match
// key, it equals no other one, and it is never written. A text in which other words stand beside the
// card is still told, without it, but for a match key.

// blankedNote says of a value that it was blanked.
var blankedNote = note{code: Blanked, text: "it holds what may be a payment card, and is neither compared nor written (privacy.blank)"}

// blankedAway reports whether a canonical value of the field can't be told, because a card in it was blanked.
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

// isKey reports whether records are recognised by the field.
func (f *field) isKey() bool {
	return slices.ContainsFunc(f.m.spec.Match, func(rule []string) bool { return slices.Contains(rule, f.Name) })
}

// readsBlanked reports whether an expression is to read what was blanked: whatever it makes of the
// asterisks is no value of the record.
func (at spot) readsBlanked() bool {
	if !at.f.m.spec.BlankCards || at.s.read == nil || at.f.As == Phone {
		return false
	}
	return slices.ContainsFunc(at.s.inputs, func(p string) bool {
		v := at.native[p]
		return v.Type() == record.Text && card.Only(card.Blank(v.Text()))
	})
}

// blankedBeside reports whether a piece of a shared text that is not written was blanked: written
// with the others, the asterisks would take its place.
func blankedBeside(pieces []*field, canonical record.Fields, texts []string) bool {
	for i, f := range pieces {
		if !canonical[f.Name].Observed() && f.m.spec.BlankCards && card.Marked(texts[i]) {
			return true
		}
	}
	return false
}

// BlankedKeys is the fields, by which records are recognised, that can't be told of a record since they
// were blanked. problems are what its Read gave.
func (m *Mapping) BlankedKeys(problems []Problem) []string {
	var out []string
	for _, p := range problems {
		if p.Code == Blanked && m.byName[p.Field].isKey() {
			out = append(out, p.Field)
		}
	}
	return out
}
