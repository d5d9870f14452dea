package mapping

import (
	"slices"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"nightporter/sync/record"
)

// readTable returns the canonical word for a native word of a side; ok is false if the table has none.
func readTable(at spot, v record.Value) (word string, ok bool) {
	s, n := scalar(v)
	if n.bad() {
		return "", false
	}
	word, ok = at.f.table[at.s.which][fold(s)]
	return word, ok
}

// writeTable returns the first native word that may be written for a canonical word, "" if there is none.
func writeTable(at spot, canonical string) string {
	i, ok := at.f.words[fold(canonical)]
	if !ok {
		return ""
	}
	for _, w := range at.f.Table[i].Sides[at.s.which] {
		if len(at.s.Words) == 0 || slices.ContainsFunc(at.s.Words, func(may string) bool { return fold(may) == fold(w) }) {
			return w
		}
	}
	return ""
}

// spellWord returns a native word as a value. If the word is a number, spell decides whether it is written
// as a text or as a number.
func spellWord(at spot, word string) record.Value {
	if v, err := record.OfNumber(word); err == nil && v.Text() == word {
		return spell(at, word, record.Text)
	}
	return record.OfText(word)
}

func readEnum(at spot, v record.Value) (record.Value, note) {
	if _, n := scalar(v); n.bad() {
		return record.Value{}, n
	}
	if w, ok := readTable(at, v); ok {
		return record.OfText(w), note{}
	}
	return record.Value{}, note{code: UnknownWord, text: "a word that is not in the table"}
}

func writeEnum(at spot, v record.Value) (record.Value, note) {
	if w := writeTable(at, v.Text()); w != "" {
		return spellWord(at, w), note{}
	}
	if i, ok := at.f.words[fold(v.Text())]; ok {
		if len(at.f.Table[i].Sides[at.s.which]) > 0 {
			return record.Value{}, note{code: OnlyRead, text: "this side shows such a word and takes none: " +
				"it takes " + strings.Join(at.s.Words, ", ")}
		}
		return record.Value{}, note{code: UnknownWord, text: "the table has no word for it on this side"}
	}
	return record.Value{}, note{code: UnknownWord, text: "a word that is not in the table"}
}

func readBool(at spot, v record.Value) (record.Value, note) {
	s, n := scalar(v)
	if n.bad() {
		return record.Value{}, n
	}
	word, ok := readTable(at, v)
	if !ok {
		word = fold(s)
	}
	switch word {
	case "true", "1":
		return record.OfBool(true), note{}
	case "false", "0":
		return record.OfBool(false), note{}
	}
	return record.Value{}, note{code: UnknownWord, text: "neither true nor false; name its words in the table"}
}

func writeBool(at spot, v record.Value) (record.Value, note) {
	if v.Type() != record.Bool {
		return record.Value{}, note{code: BadShape, text: "not a truth value"}
	}
	if w := writeTable(at, v.Text()); w != "" {
		return spellWord(at, w), note{}
	}
	digit := "0"
	if v.Bool() {
		digit = "1"
	}
	switch now := at.native[at.s.Path]; {
	case at.s.Format == FormatNumber, at.s.Format == "" && now.Type() == record.Number:
		return spell(at, digit, record.Number), note{}
	case at.s.Format == FormatText, at.s.Format == "" && now.Type() == record.Text && strings.Trim(now.Text(), "01") != "":
		return record.OfText(v.Text()), note{}
	case now.Type() == record.Text:
		return record.OfText(digit), note{}
	}
	return v, note{}
}

func readLanguage(at spot, v record.Value) (record.Value, note) {
	s, n := scalar(v)
	if n.bad() {
		return record.Value{}, n
	}
	if w, ok := readTable(at, v); ok {
		s = w
	}
	tag, err := language.Parse(strings.TrimSpace(s))
	base, _, _ := tag.Raw() // Base would guess a language from a country
	if err != nil || base == (language.Base{}) {
		return record.Value{}, note{code: UnknownWord, text: "not a language code such as it or en-GB; name its words in the table"}
	}
	return record.OfText(base.String()), note{}
}

func writeLanguage(at spot, v record.Value) (record.Value, note) {
	if w := writeTable(at, v.Text()); w != "" {
		return record.OfText(w), note{}
	}
	base, err := language.ParseBase(v.Text())
	if err != nil {
		return record.Value{}, note{code: UnknownWord, text: "not a language code"}
	}
	if at.s.Format == FormatAlpha3 {
		return record.OfText(base.ISO3()), note{}
	}
	return record.OfText(base.String()), note{}
}

func readCountry(at spot, v record.Value) (record.Value, note) {
	s, n := scalar(v)
	if n.bad() {
		return record.Value{}, n
	}
	if w, ok := readTable(at, v); ok {
		s = w
	}
	if c := at.f.m.countryOf(s); c != "" {
		return record.OfText(c), note{}
	}
	return record.Value{}, note{code: UnknownWord, text: "not a country such as IT, ITA or Italy; name its words in the table"}
}

func writeCountry(at spot, v record.Value) (record.Value, note) {
	if w := writeTable(at, v.Text()); w != "" {
		return record.OfText(w), note{}
	}
	r, err := language.ParseRegion(v.Text())
	if err != nil || !r.IsCountry() {
		return record.Value{}, note{code: UnknownWord, text: "not a country code"}
	}
	if at.s.Format == FormatAlpha3 {
		return record.OfText(r.ISO3()), note{}
	}
	return record.OfText(r.String()), note{}
}

// countryOf returns the alpha-2 code of a country that is given by its code or its name, "" if s is neither.
func (m *Mapping) countryOf(s string) string {
	s = strings.TrimSpace(s)
	if r, err := language.ParseRegion(s); err == nil {
		if r = r.Canonicalize(); r.IsCountry() {
			return r.String()
		}
		return ""
	}
	return m.countries()[fold(s)]
}

// countryAt returns the country that a native path shows, "" for none. If a field of type country is kept
// at the path, the table of that field counts.
func (m *Mapping) countryAt(side record.Side, path string, v record.Value) string {
	if f := m.shownBy[side][path]; f != nil {
		c, _ := readCountry(spot{f: f, s: &f.sides[side]}, v)
		return c.Text()
	}
	s, _ := scalar(v)
	return m.countryOf(s)
}

// countryNames returns the code of each country by its folded name, in the languages in which a guest list
// is likely to be kept. No name stands for two countries.
func countryNames() map[string]string {
	names := map[string]string{}
	eachCountryName(func(name, code string) { names[name] = code })
	return names
}

func eachCountryName(yield func(name, code string)) {
	for _, tag := range []language.Tag{
		language.English, language.Italian, language.German, language.French, language.Spanish,
		language.Portuguese, language.Dutch,
	} {
		in := display.Regions(tag)
		for a := 'A'; a <= 'Z'; a++ {
			for b := 'A'; b <= 'Z'; b++ {
				r, err := language.ParseRegion(string(a) + string(b))
				if err != nil || !r.IsCountry() || r.Canonicalize() != r {
					continue
				}
				if name := fold(in.Name(r)); name != "" {
					yield(name, r.String())
				}
			}
		}
	}
}
