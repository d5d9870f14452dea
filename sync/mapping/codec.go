package mapping

import (
	"strings"

	"golang.org/x/text/unicode/norm"

	"nightporter/sync/mapping/card"
	"nightporter/sync/record"
)

// spot is the place of a value: one field, one side, one record.
type spot struct {
	f      *field
	s      *side
	native record.Fields // the record as the side shows it
}

// codec reads and writes the values of one type. It is only given values that are neither Absent nor
// empty.
type codec struct {
	read  func(at spot, v record.Value) (record.Value, note)
	write func(at spot, v record.Value) (record.Value, note)
}

// codecOf returns the codec of a type; ok is false for an unknown type. The codec of money and of
// references is empty: they are made from several paths, and are read and written elsewhere.
func codecOf(as string) (c codec, ok bool) {
	switch as {
	case Text:
		return codec{readText, writeText}, true
	case Name:
		return codec{readName, writeText}, true
	case Phone:
		return codec{readPhone, writePhone}, true
	case Email:
		return codec{readEmail, writeText}, true
	case Date:
		return codec{readDate, writeDate}, true
	case Instant:
		return codec{readInstant, writeInstant}, true
	case Number:
		return codec{readNumber, writeNumber}, true
	case Bool:
		return codec{readBool, writeBool}, true
	case Language:
		return codec{readLanguage, writeLanguage}, true
	case Country:
		return codec{readCountry, writeCountry}, true
	case Enum:
		return codec{readEnum, writeEnum}, true
	case List, Set:
		return codec{readList, writeList}, true
	case Content:
		return codec{readContent, readContent}, true
	case Money, Reference:
		return codec{}, true
	}
	return codec{}, false
}

// types returns every type, for error messages.
func types() []string {
	return []string{
		Text, Name, Phone, Email, Date, Instant, Money, Number, Bool, Language, Country, Enum, List, Set, Reference, Content,
	}
}

// scalar returns the text of a text, a number or a truth value. For other types the note is BadShape.
func scalar(v record.Value) (string, note) {
	switch v.Type() {
	case record.Text, record.Number, record.Bool:
		return v.Text(), note{}
	case record.Absent, record.Null, record.List, record.Map, record.Content:
	}
	return "", note{code: BadShape, text: "a single value is expected here, not a " + v.Type().String()}
}

// blank reports whether a value was shown and is empty: null, or a text of blanks and NULs.
func blank(v record.Value) bool {
	return v.Empty() || v.Type() == record.Text && strings.TrimSpace(strings.Trim(v.Text(), "\x00")) == ""
}

// clean returns a text in its canonical spelling, see the package comment.
func clean(s string) string {
	if strings.ContainsAny(s, "\r\x00\uFEFF\u200B") {
		s = cleaner().Replace(s)
	}
	return strings.TrimSpace(norm.NFC.String(s))
}

func cleaner() *strings.Replacer {
	return strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x00", "", "\uFEFF", "", "\u200B", "")
}

// fold returns a text in the form in which words are compared: clean, in lower case, with single spaces.
func fold(s string) string {
	return strings.ToLower(strings.Join(strings.Fields(clean(s)), " "))
}

// readContent returns a content unchanged. Other values are read as Absent: a system may show the
// address of a file, for example, which tells nothing about the bytes.
func readContent(_ spot, v record.Value) (record.Value, note) {
	if v.Type() != record.Content {
		return record.Value{}, note{}
	}
	return v, note{}
}

func readText(at spot, v record.Value) (record.Value, note) {
	s, n := scalar(v)
	if n.bad() {
		return record.Value{}, n
	}
	return textOf(at, clean(s)), note{}
}

func readName(at spot, v record.Value) (record.Value, note) {
	s, n := scalar(v)
	if n.bad() {
		return record.Value{}, n
	}
	return textOf(at, strings.Join(strings.Fields(clean(s)), " ")), note{}
}

// textOf returns a text as a value, with payment cards blanked; Nothing for an empty text.
func textOf(at spot, s string) record.Value {
	if at.f.m.spec.BlankCards {
		s = card.Blank(s)
	}
	if s == "" {
		return record.Nothing()
	}
	return record.OfText(s)
}

// writeText writes a canonical text unchanged. Cards are blanked once more, because the value may not
// come from a read.
func writeText(at spot, v record.Value) (record.Value, note) {
	s, n := scalar(v)
	if n.bad() {
		return record.Value{}, n
	}
	if at.f.As == Email {
		return record.OfText(s), note{}
	}
	return textOf(at, clean(s)), note{}
}

func readNumber(_ spot, v record.Value) (record.Value, note) {
	s, n := scalar(v)
	if n.bad() {
		return record.Value{}, n
	}
	w, err := record.OfNumber(strings.TrimSpace(s))
	if err != nil || v.Type() == record.Bool {
		return record.Value{}, note{code: BadNumber, text: "not a decimal number such as 12.5"}
	}
	return w, note{}
}

func writeNumber(at spot, v record.Value) (record.Value, note) {
	w, n := readNumber(at, v)
	if n.bad() {
		return record.Value{}, n
	}
	return spell(at, w.Text(), record.Number), note{}
}

// spell returns digits as a text or as a number, as the side wants them. The format decides. Without a
// format, the type of the value that stands there now decides, and otherwise usual.
func spell(at spot, s string, usual record.Type) record.Value {
	want := usual
	switch at.s.Format {
	case FormatText:
		want = record.Text
	case FormatNumber:
		want = record.Number
	default:
		if now := at.native[at.s.Path].Type(); at.s.Path != "" && (now == record.Text || now == record.Number) {
			want = now
		}
	}
	if want == record.Number {
		if v, err := record.OfNumber(s); err == nil {
			return v
		}
	}
	return record.OfText(s)
}

// spellBare is like spell, but ignores the format. It is for formats that say something other than text
// or number.
func spellBare(at spot, digits string, usual record.Type) record.Value {
	bare := &side{SideSpec: SideSpec{Path: at.s.Path}}
	return spell(spot{f: at.f, s: bare, native: at.native}, digits, usual)
}
