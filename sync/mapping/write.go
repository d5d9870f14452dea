package mapping

import (
	"maps"
	"slices"
	"strings"

	"nightporter/sync/mapping/card"
	"nightporter/sync/mapping/expression"
	"nightporter/sync/record"
)

// Write turns canonical fields into what is to be written on a side: only native
// paths of the fields given. current is what the side holds now, as far as it is
// known: the other pieces of a shared text, the country that a phone is read by
// and the type in which a number is kept come from there.
//
// A field that is Nothing is written as the side writes an empty value. A field
// that the side does not keep gives nothing and no Problem; one that can't be
// written gives a Problem and none of its paths.
func (m *Mapping) Write(side record.Side, canonical, current record.Fields) (record.Fields, []Problem) {
	out := record.Fields{}
	var problems []Problem
	for _, f := range m.fields {
		v := canonical[f.Name]
		if !v.Observed() {
			continue
		}
		if pieces := f.sides[side].pieces; pieces != nil {
			if f != firstGiven(pieces, canonical) {
				continue // written with the first one
			}
			native, ps := m.writePieces(side, pieces, canonical, current)
			maps.Copy(out, native)
			problems = append(problems, ps...)
			continue
		}
		native, n := m.writeField(side, f, v, current)
		if n.bad() {
			problems = append(problems, n.problem(f, side))
			continue
		}
		maps.Copy(out, native)
	}
	return out, problems
}

// writeField writes one field.
func (m *Mapping) writeField(side record.Side, f *field, v record.Value, current record.Fields) (record.Fields, note) {
	out, n := m.writeAs(side, f, v, current)
	if s := f.sides[side]; !n.bad() && s.Whole && fraction(out[s.Path]) {
		return nil, note{code: Fraction, text: "it is not a whole number, and no others are kept there"}
	}
	return out, n
}

// fraction reports whether a native value is a number that is not whole.
func fraction(v record.Value) bool {
	n, err := record.OfNumber(v.Text())
	return err == nil && strings.Contains(n.Text(), ".")
}

// writeAs writes one field by what it is.
func (m *Mapping) writeAs(side record.Side, f *field, v record.Value, current record.Fields) (record.Fields, note) {
	s := &f.sides[side]
	at := spot{f: f, s: s, native: current}
	if !s.owns() {
		return nil, note{}
	}
	if s.pieces != nil {
		out, problems := m.writePieces(side, s.pieces, record.Fields{f.Name: v}, current)
		if len(problems) > 0 {
			return nil, note{code: problems[0].Code, text: problems[0].Text}
		}
		return out, note{}
	}
	if n := at.refuses(v); n.bad() {
		return nil, n
	}
	switch {
	case v.Empty():
		return at.writeNothing()
	case s.write != nil:
		return at.writeExpression(v)
	case f.As == Money:
		return writeMoney(at, v)
	case f.As == Reference:
		return writeReference(at, v)
	}
	w, n := f.codec.write(at, v)
	if n.bad() {
		return nil, n
	}
	if w.Type() == record.Null { // a text of nothing but what is never written
		w = s.nothing()
	}
	return at.place(w)
}

// refuses says why a value is not to be written at all.
func (at spot) refuses(v record.Value) note {
	switch {
	case len(at.s.writes()) == 0:
		return note{code: NotWritable, text: "this side keeps it only in a form that can't be written"}
	case v.Empty() && at.f.Required && at.s.Filler == "":
		return note{code: Required, text: "it is required and never cleared"}
	case matchesAny(at.f.never, v.Text()):
		return note{code: NotAValue, text: "it stands for nothing and is never sent"}
	case at.f.blankedAway(v):
		return blankedNote
	}
	return tooLong(at, v)
}

// firstGiven is the first of the pieces that is to be written.
func firstGiven(pieces []*field, canonical record.Fields) *field {
	for _, f := range pieces {
		if canonical[f.Name].Observed() {
			return f
		}
	}
	return nil
}

// writePieces writes the pieces of one text that are given. The others stay as
// they stand now. All are put in place at once: a text without its first words is
// cut elsewhere.
func (m *Mapping) writePieces(side record.Side, pieces []*field, canonical, current record.Fields) (record.Fields, []Problem) {
	s := &pieces[0].sides[side]
	texts, _, n := (spot{f: pieces[0], s: s, native: current}).cutPieces()
	if texts == nil {
		texts = make([]string, len(pieces))
	}
	var problems []Problem
	given := false
	for i, f := range pieces {
		v := canonical[f.Name]
		if !v.Observed() {
			continue
		}
		at := spot{f: f, s: &f.sides[side], native: current}
		w, bad := record.Value{}, n
		if !bad.bad() {
			bad = at.refuses(v)
		}
		if !bad.bad() && !v.Empty() {
			w, bad = f.codec.write(at, v)
		}
		if bad.bad() {
			problems = append(problems, bad.problem(f, side))
			continue
		}
		texts[i], given = w.Text(), true
	}
	if given && blankedBeside(pieces, canonical, texts) {
		given, problems = false, append(problems, blankedNote.problem(firstGiven(pieces, canonical), side))
	}
	if !given {
		return nil, problems
	}
	whole := joinTexts(texts, s.Split)
	if strings.TrimSpace(whole) == "" {
		return record.Fields{s.Path: s.nothing()}, problems
	}
	if m.spec.BlankCards { // digits that are a card only together
		whole = card.Blank(whole)
	}
	return record.Fields{s.Path: record.OfText(whole)}, problems
}

// nothing is how the side writes an empty value.
func (s *side) nothing() record.Value {
	switch {
	case s.Filler != "":
		return record.OfText(s.Filler)
	case s.Empty == EmptyText:
		return record.OfText("")
	}
	return record.Nothing()
}

// writeNothing clears the field.
func (at spot) writeNothing() (record.Fields, note) {
	out := record.Fields{}
	for _, p := range at.s.writes() {
		if at.f.As == Money && p == at.s.Currency { // it may be another amount's too
			continue
		}
		out[p] = at.s.nothing()
		if (at.f.As == List || at.f.As == Set) && at.s.Split == "" && at.s.Empty == "" {
			out[p] = record.OfList()
		}
	}
	return out, note{}
}

// place puts a native value where the side keeps it.
func (at spot) place(w record.Value) (record.Fields, note) {
	if len(at.s.Paths) == 0 || at.s.read != nil {
		return record.Fields{at.s.Path: w}, note{}
	}
	texts := cutText(w.Text(), at.s.Split, at.s.Cut, len(at.s.Paths))
	out := make(record.Fields, len(texts))
	for i, p := range at.s.Paths {
		out[p] = at.s.nothing()
		if texts[i] != "" {
			out[p] = record.OfText(texts[i])
		}
	}
	return out, note{}
}

// writeExpression writes what the side's expression makes of the value. A map
// gives several paths, which must be the field's own.
func (at spot) writeExpression(v record.Value) (record.Fields, note) {
	w, n := run(at.s.write, at.blanked(v), at.blankedRecord())
	if n.bad() {
		return nil, n
	}
	if len(at.s.Paths) == 0 {
		return record.Fields{at.s.Path: at.blanked(w)}, note{}
	}
	if w.Type() != record.Map {
		return nil, note{code: BadExpression, text: "the expression must give a map from the paths to their values"}
	}
	out := record.Fields{}
	for p, e := range w.Map() {
		if !slices.Contains(at.s.Paths, p) {
			return nil, note{code: BadExpression, text: "the expression gives a path that is not among the field's"}
		}
		out[p] = at.blanked(e)
	}
	return out, note{}
}

// blanked is a value whose texts have payment cards blanked. A field that is a
// phone is exempt: its digits are one.
func (at spot) blanked(v record.Value) record.Value {
	if !at.f.m.spec.BlankCards || at.f.As == Phone {
		return v
	}
	switch v.Type() {
	case record.Text:
		return record.OfText(card.Blank(v.Text()))
	case record.List:
		es := make([]record.Value, len(v.List()))
		for i, e := range v.List() {
			es[i] = at.blanked(e)
		}
		return record.OfList(es...)
	case record.Map:
		es := make(map[string]record.Value, len(v.Map()))
		for k, e := range v.Map() {
			es[k] = at.blanked(e)
		}
		return record.OfMap(es)
	case record.Absent, record.Null, record.Number, record.Bool, record.Content:
	}
	return v
}

// blankedRecord is what the field's expressions may see of the record. A card is
// blanked before an expression can take it apart.
func (at spot) blankedRecord() record.Fields {
	out := record.Fields{}
	for _, e := range []*expression.Expression{at.s.read, at.s.write} {
		if e == nil {
			continue
		}
		for _, p := range e.Paths() {
			out[p] = at.blanked(at.native[p])
		}
	}
	return out
}
