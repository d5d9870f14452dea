package mapping

import (
	"maps"
	"slices"
	"strings"

	"nightporter/sync/mapping/card"
	"nightporter/sync/mapping/expression"
	"nightporter/sync/record"
)

// Write turns canonical fields into the native values to write on a side. The result has only the native
// paths of the given fields. current is what the side holds now, as far as it is known. It gives the
// other pieces of a shared text, the country by which a phone is read, and the type in which a number is
// kept.
//
// A field that is Nothing is written as the side writes an empty value. A field that the side does not
// keep gives no path and no Problem. A field that can't be written gives a Problem and no path.
func (m *Mapping) Write(side record.Side, canonical, current record.Fields) (record.Fields, []Problem) {
	out := record.Fields{}
	current = Shown(current)
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

// writeField writes one field. It refuses a fraction where the side keeps only whole numbers.
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

// writeAs writes one field: as a piece of a text, as an empty value, by its expression or by its type.
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
	if w.Type() == record.Null { // the text held only characters that are never written
		w = s.nothing()
	}
	return at.place(w)
}

// refuses says why a value must not be written to the side. The zero note lets it be written.
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

// firstGiven returns the first piece that is to be written, nil if there is none.
func firstGiven(pieces []*field, canonical record.Fields) *field {
	for _, f := range pieces {
		if canonical[f.Name].Observed() {
			return f
		}
	}
	return nil
}

// writePieces writes the given pieces of one text. The other pieces stay as they are now. All given
// pieces are written at once: between two writes, the text would lack words and be cut at another place.
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
	if m.spec.BlankCards { // the digits of two pieces may together be a card
		whole = card.Blank(whole)
	}
	return record.Fields{s.Path: record.OfText(whole)}, problems
}

// nothing returns the native value that the side writes for an empty value: its filler, an empty text or
// null.
func (s *side) nothing() record.Value {
	switch {
	case s.Filler != "":
		return record.OfText(s.Filler)
	case s.Empty == EmptyText:
		return record.OfText("")
	}
	return record.Nothing()
}

// writeNothing clears the field: each of its paths gets an empty value.
func (at spot) writeNothing() (record.Fields, note) {
	out := record.Fields{}
	for _, p := range at.s.writes() {
		if at.f.As == Money && p == at.s.Currency { // another amount may have the same currency path
			continue
		}
		out[p] = at.s.nothing()
		if (at.f.As == List || at.f.As == Set) && at.s.Split == "" && at.s.Empty == "" {
			out[p] = record.OfList()
		}
	}
	return out, note{}
}

// place puts a native value at the path of the side, or cuts a text into the side's several paths.
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

// writeExpression writes the result of the side's write expression. If the side has several paths, the
// result must be a map from some of these paths to their values.
func (at spot) writeExpression(v record.Value) (record.Fields, note) {
	w, n := run(at.s.write, at.blanked(v), at.blankedRecord())
	if n.bad() {
		return nil, n
	}
	out, n := at.placeMade(w)
	if !n.bad() {
		n = at.saysOtherNow(v, out)
	}
	if n.bad() {
		return nil, n
	}
	return out, note{}
}

// placeMade puts what an expression made at the path of the side, or at its several paths.
func (at spot) placeMade(w record.Value) (record.Fields, note) {
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

// blanked returns a value with the payment cards in its texts blanked. The value of a phone field is
// returned unchanged: its digits are a phone number.
func (at spot) blanked(v record.Value) record.Value {
	if !at.f.m.spec.BlankCards || at.f.As == Phone {
		return v
	}
	return mapTexts(v, card.Blank)
}

// blankedRecord returns the native values that the field's expressions read. Cards are blanked first, so
// that no expression can take a card apart.
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
