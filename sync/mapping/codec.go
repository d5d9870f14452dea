package mapping

import (
	"strings"

	"golang.org/x/text/unicode/norm"

	"nightporter/sync/mapping/card"
	"nightporter/sync/record"
)

// spot is where a value stands: a field on one side of one record.
type spot struct {
	f      *field
	s      *side
	native record.Fields // the record as the side shows it
}

// codec reads and writes the values of one type. It is handed values that are
// there: neither Absent nor empty.
type codec struct {
	read  func(at spot, v record.Value) (record.Value, note)
	write func(at spot, v record.Value) (record.Value, note)
}

// codecOf is the codec of a type; ok is false for an unknown one. Money,
// references, lists and sets reach several values and are handled apart.
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

// types is every type, for messages.
func types() []string {
	return []string{
		Text, Name, Phone, Email, Date, Instant, Money, Number, Bool, Language, Country, Enum, List, Set, Reference, Content,
	}
}

// scalar is the text of a text, a number or a truth value.
func scalar(v record.Value) (string, note) {
	switch v.Type() {
	case record.Text, record.Number, record.Bool:
		return v.Text(), note{}
	case record.Absent, record.Null, record.List, record.Map, record.Content:
	}
	return "", note{code: BadShape, text: "a single value is expected here, not a " + v.Type().String()}
}

// blank reports whether a value was shown and holds nothing.
func blank(v record.Value) bool {
	return v.Empty() || v.Type() == record.Text && strings.TrimSpace(strings.Trim(v.Text(), "\x00")) == ""
}

// clean is a text in its canonical spelling.
func clean(s string) string {
	if strings.ContainsAny(s, "\r\x00\uFEFF\u200B") {
		s = cleaner().Replace(s)
	}
	return strings.TrimSpace(norm.NFC.String(s))
}

func cleaner() *strings.Replacer {
	return strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x00", "", "\uFEFF", "", "\u200B", "")
}

// fold is a text as words are compared: no case, single spaces.
func fold(s string) string {
	return strings.ToLower(strings.Join(strings.Fields(clean(s)), " "))
}

// readContent takes a content as it is. What a system shows in its place, the address of
// a file say, shows nothing of the bytes.
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

// textOf is a clean text, payment cards blanked; Nothing if there is no text.
func textOf(at spot, s string) record.Value {
	if at.f.m.spec.BlankCards {
		s = card.Blank(s)
	}
	if s == "" {
		return record.Nothing()
	}
	return record.OfText(s)
}

// writeText writes a canonical text as it is. Cards are blanked once more: a
// value may come from elsewhere than a read.
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

// spell gives a text of digits the type that the side wants: by its format, else
// the one that stands there now, else usual.
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

// spellBare is spell for a side whose format says something else than the type.
func spellBare(at spot, digits string, usual record.Type) record.Value {
	bare := &side{SideSpec: SideSpec{Path: at.s.Path}}
	return spell(spot{f: at.f, s: bare, native: at.native}, digits, usual)
}
