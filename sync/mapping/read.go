package mapping

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"nightporter/sync/mapping/card"
	"nightporter/sync/record"
)

// Read turns what a side shows into canonical fields. A field that was not shown,
// that can't be read or that stands for nothing is missing; each that can't be
// read has a Problem. A field may be there and have a Problem too, where a part of
// it was left out. Problems come in the order of the Spec's fields.
func (m *Mapping) Read(side record.Side, native record.Fields) (record.Fields, []Problem) {
	out := make(record.Fields, len(m.fields))
	var problems []Problem
	for _, f := range m.fields {
		v, n := m.readField(side, f, native)
		if v.Observed() {
			out[f.Name] = v
		}
		if n.bad() {
			problems = append(problems, n.problem(f, side))
		}
	}
	return out, problems
}

// readField reads one field. The note's code is never NotAValue: what stands for
// nothing is just not there.
func (m *Mapping) readField(side record.Side, f *field, native record.Fields) (record.Value, note) {
	s := &f.sides[side]
	at := spot{f: f, s: s, native: native}
	if !s.owns() {
		return s.constant, note{}
	}
	v, n := at.readNative()
	switch {
	case n.code == NotAValue:
		return record.Value{}, note{}
	case !v.Observed():
		return v, n
	case v.Empty():
		return s.fallback, n
	}
	if long := tooLongFor(f.MaxRunes, v); long.bad() {
		return record.Value{}, long
	}
	if matchesAny(f.never, v.Text()) {
		return record.Value{}, note{}
	}
	if f.blankedAway(v) {
		return record.Value{}, blankedNote
	}
	return v, n
}

// readNative reads the native form, without what the field itself makes of it.
func (at spot) readNative() (record.Value, note) {
	switch at.f.As {
	case Money:
		return readMoney(at)
	case Reference:
		return readReference(at)
	}
	if at.readsBlanked() {
		return record.Value{}, blankedNote
	}
	raw, n := at.raw()
	switch {
	case n.bad() || !raw.Observed():
		return record.Value{}, n
	case blank(raw), at.s.Filler != "" && clean(raw.Text()) == clean(at.s.Filler):
		return record.Nothing(), note{}
	}
	return at.f.codec.read(at, raw)
}

// raw is the native value that is read as the type: of one path, of the result of
// an expression, or put together. It is Absent if any path of it is.
func (at spot) raw() (record.Value, note) {
	switch {
	case at.s.read != nil:
		for _, p := range at.s.inputs {
			if !at.native[p].Observed() && !slices.Contains(at.s.regions, p) {
				return record.Value{}, note{}
			}
		}
		return run(at.s.read, at.blanked(at.native[at.s.Path]), at.blankedRecord())
	case len(at.s.Paths) > 0:
		return at.joined()
	case at.s.pieces != nil:
		texts, v, n := at.cutPieces()
		if texts == nil {
			return v, n
		}
		return record.OfText(texts[at.s.Piece-1]), note{}
	}
	return at.native[at.s.Path], note{}
}

// joined is the texts of several paths as one.
func (at spot) joined() (record.Value, note) {
	texts := make([]string, len(at.s.Paths))
	for i, p := range at.s.Paths {
		v := at.native[p]
		if !v.Observed() {
			return record.Value{}, note{}
		}
		if blank(v) {
			continue
		}
		t, n := scalar(v)
		if n.bad() {
			return record.Value{}, n
		}
		texts[i] = clean(t)
	}
	// As it would be read after it was written: separators inside of the pieces
	// move, and must not look like a change.
	whole := joinTexts(texts, at.s.Split)
	return record.OfText(joinTexts(cutText(whole, at.s.Split, at.s.Cut, len(texts)), at.s.Split)), note{}
}

// joinTexts joins pieces. Where the separator can be seen (", ") an empty piece
// before others keeps its place; blanks can't be.
func joinTexts(texts []string, split string) string {
	if strings.TrimSpace(split) == "" {
		texts = slices.DeleteFunc(slices.Clone(texts), func(s string) bool { return s == "" })
		return strings.Join(texts, split)
	}
	for len(texts) > 0 && texts[len(texts)-1] == "" {
		texts = texts[:len(texts)-1]
	}
	return strings.Join(texts, split)
}

// cutPieces cuts the text of a shared path. Without texts the value and note say
// what was there instead: nothing shown, nothing in it, or no text.
func (at spot) cutPieces() ([]string, record.Value, note) {
	v := at.native[at.s.Path]
	if !v.Observed() || blank(v) {
		return nil, v, note{}
	}
	t, n := scalar(v)
	if n.bad() {
		return nil, record.Value{}, n
	}
	if at.f.m.spec.BlankCards { // before the text is cut: half a card is not seen as one
		t = card.Blank(t)
	}
	return cutText(clean(t), at.s.Split, at.s.Cut, len(at.s.pieces)), record.Value{}, note{}
}

// cutText cuts a text into n pieces at its separators. Fewer words than pieces
// fill the first ones.
func cutText(s, split, cut string, n int) []string {
	s = trimEnd(s, split)
	gaps := gapsOf(s, strings.TrimSpace(split))
	if more := len(gaps) - (n - 1); more > 0 {
		if cut == CutFirst {
			gaps = gaps[:n-1]
		} else {
			gaps = gaps[more:]
		}
	}
	out := make([]string, n)
	from := 0
	for i, g := range gaps {
		out[i] = trimPiece(s[from:g[0]], split)
		from = g[1]
	}
	out[len(gaps)] = trimPiece(s[from:], split)
	return out
}

// gapsOf is where the separators stand in a text: from, to. An empty one stands
// for any blanks.
func gapsOf(s, separator string) [][2]int {
	var gaps [][2]int
	if separator != "" {
		for i := 0; ; {
			j := strings.Index(s[i:], separator)
			if j < 0 {
				return gaps
			}
			gaps = append(gaps, [2]int{i + j, i + j + len(separator)})
			i += j + len(separator)
		}
	}
	for i, r := range s {
		switch {
		case !unicode.IsSpace(r):
		case len(gaps) > 0 && gaps[len(gaps)-1][1] == i:
			gaps[len(gaps)-1][1] = i + utf8.RuneLen(r)
		default:
			gaps = append(gaps, [2]int{i, i + utf8.RuneLen(r)})
		}
	}
	return gaps
}

// trimEnd takes separators off the end of a text, trimPiece off both ends.
func trimEnd(s, split string) string {
	separator := strings.TrimSpace(split)
	s = strings.TrimSpace(s)
	for separator != "" && strings.HasSuffix(s, separator) {
		s = strings.TrimSpace(strings.TrimSuffix(s, separator))
	}
	return s
}

func trimPiece(s, split string) string {
	separator := strings.TrimSpace(split)
	s = trimEnd(s, split)
	for separator != "" && strings.HasPrefix(s, separator) {
		s = strings.TrimSpace(strings.TrimPrefix(s, separator))
	}
	return s
}

// tooLong checks a value that is to be written against the limits of its field and
// side.
func tooLong(at spot, v record.Value) note {
	if n := tooLongFor(at.s.MaxRunes, v); n.bad() {
		return n
	}
	return tooLongFor(at.f.MaxRunes, v)
}

func tooLongFor(most int, v record.Value) note {
	if most <= 0 {
		return note{}
	}
	for _, e := range slices.Concat(v.List(), []record.Value{v}) {
		if e.Type() == record.Text && utf8.RuneCountInString(e.Text()) > most {
			return note{code: TooLong, text: "the text is longer than allowed, and is never cut"}
		}
	}
	return note{}
}

// matchesAny reports whether a canonical text is one of the patterns, which are
// folded. A star stands for any text.
func matchesAny(patterns []string, s string) bool {
	if len(patterns) == 0 || s == "" {
		return false
	}
	s = fold(s)
	for _, p := range patterns {
		if matches(p, s) {
			return true
		}
	}
	return false
}

func matches(pattern, s string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == s
	}
	first, last := parts[0], parts[len(parts)-1]
	if len(s) < len(first)+len(last) || !strings.HasPrefix(s, first) || !strings.HasSuffix(s, last) {
		return false
	}
	s = s[len(first) : len(s)-len(last)]
	for _, p := range parts[1 : len(parts)-1] {
		i := strings.Index(s, p)
		if i < 0 {
			return false
		}
		s = s[i+len(p):]
	}
	return true
}
