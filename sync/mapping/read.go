package mapping

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"nightporter/sync/mapping/card"
	"nightporter/sync/record"
)

// Read turns the native values of a side into canonical fields. A field is missing if it was not shown,
// if it can't be read, or if it is not a real value. Each field that can't be read has a Problem. A field
// may be there and have a Problem too: a part of it was left out. Problems are in the order of the Spec's
// fields.
func (m *Mapping) Read(side record.Side, native record.Fields) (record.Fields, []Problem) {
	out := make(record.Fields, len(m.fields))
	native = Shown(native)
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

// readField reads one field. A text that is not a real value is Absent without a note: the code of the
// note is never NotAValue.
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

// readNative reads the native value as the type of the field. The limits, patterns and defaults of the
// field are left to readField.
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

// raw returns the native value that is then read as the type: the value at one path, the result of the
// read expression, several paths joined, or one piece of a text. It is Absent if a path that it needs is
// Absent.
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

// joined returns the texts of several paths as one text. It is Absent if one of them is.
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
	// The text is cut and joined once, as happens when it is written. A separator inside of a piece moves
	// by that, and this must not look like a change.
	whole := joinTexts(texts, at.s.Split)
	return record.OfText(joinTexts(cutText(whole, at.s.Split, at.s.Cut, len(texts)), at.s.Split)), note{}
}

// joinTexts joins pieces with a separator. An empty piece before others keeps its separator if that can be
// seen (", "). If the separator is only blanks, empty pieces are left out.
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

// cutPieces cuts the text of a shared path into its pieces. If the path was not shown, is empty or holds
// no text, there are no pieces, and the value or the note says which.
func (at spot) cutPieces() ([]string, record.Value, note) {
	v := at.native[at.s.Path]
	if !v.Observed() || blank(v) {
		return nil, v, note{}
	}
	t, n := scalar(v)
	if n.bad() {
		return nil, record.Value{}, n
	}
	if at.f.m.spec.BlankCards { // before the text is cut: half a card would not be recognised
		t = card.Blank(t)
	}
	return cutText(clean(t), at.s.Split, at.s.Cut, len(at.s.pieces)), record.Value{}, note{}
}

// cutText cuts a text into n pieces at its separators. If the text has fewer words than pieces, the first
// pieces get the words, and the others are empty.
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

// gapsOf returns where the separators stand in a text: from, to. If separator is empty, each run of blanks
// is one.
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

// trimEnd removes blanks from both ends of a text, and separators from its end. trimPiece removes
// separators from both ends.
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

// tooLong checks a value that is to be written against the longest text of its side and of its field.
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

// matchesAny reports whether a canonical text matches one of the patterns. The patterns are folded
// already. A star stands for any text.
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
