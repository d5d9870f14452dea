package record

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Type says what a Value holds.
type Type uint8

// The types of a Value. Absent is the zero value: the read did not show the field. It is not Null (shown,
// and nothing in it) and not an empty Text.
const (
	Absent Type = iota
	Null
	Text
	Number
	Bool
	List
	Map
	Content
)

var typeNames = [...]string{"absent", "null", "text", "number", "bool", "list", "map", "content"}

// String is the name of the type, as messages use it.
func (t Type) String() string {
	if int(t) < len(typeNames) {
		return typeNames[t]
	}
	return "unknown"
}

// Value is one immutable value of a field. The zero Value is Absent. Numbers are
// decimal strings, never floats. Values are compared with Equal.
type Value struct {
	typ  Type
	text string
	list []Value
	dict map[string]Value
}

// Nothing is the Null value: observed, and empty.
func Nothing() Value { return Value{typ: Null} }

// OfText is a text. Bytes that are not UTF-8 become U+FFFD.
func OfText(s string) Value { return Value{typ: Text, text: strings.ToValidUTF8(s, "\uFFFD")} }

// OfBool is a truth value.
func OfBool(b bool) Value {
	if b {
		return Value{typ: Bool, text: "true"}
	}
	return Value{typ: Bool, text: "false"}
}

// OfList is an ordered list. The caller must not change vs afterwards.
func OfList(vs ...Value) Value { return Value{typ: List, list: vs} }

// OfMap is a map from names to values. The caller must not change m afterwards.
func OfMap(m map[string]Value) Value { return Value{typ: Map, dict: m} }

// OfContent stands for a file or another large body. The body itself is never kept: only its digest, its
// size in bytes and its media type are.
func OfContent(digest string, size int64, media string) Value {
	return Value{typ: Content, dict: map[string]Value{
		"digest": OfText(digest), "size": OfInt(size), "media": OfText(media),
	}}
}

// Body is what is known of a Content.
type Body struct {
	Digest string // SHA-256 of the bytes, in hexadecimal
	Size   int64
	Media  string // without parameters
}

// Body returns what is known of a Content; false for any other value.
func (v Value) Body() (Body, bool) {
	if v.typ != Content {
		return Body{}, false
	}
	size, err := strconv.ParseInt(v.dict["size"].text, 10, 64)
	return Body{Digest: v.dict["digest"].text, Size: size, Media: v.dict["media"].text}, err == nil
}

// Type says what v holds.
func (v Value) Type() Type { return v.typ }

// Observed reports whether the read showed the field at all.
func (v Value) Observed() bool { return v.typ != Absent }

// Empty reports whether the field was shown and holds nothing: null, the empty
// text, an empty list or map. An Absent value is not empty: nobody knows.
func (v Value) Empty() bool {
	switch v.typ {
	case Null:
		return true
	case Text:
		return v.text == ""
	case List:
		return len(v.list) == 0
	case Map:
		return len(v.dict) == 0
	case Absent, Number, Bool, Content:
		return false
	}
	return false
}

// Filled reports whether the field was shown and holds something.
func (v Value) Filled() bool { return v.Observed() && !v.Empty() }

// Text returns the text, the decimal digits of a number, or "true" or "false". Other types give the empty
// string.
func (v Value) Text() string { return v.text }

// Bool returns the truth value; false for every other type.
func (v Value) Bool() bool { return v.typ == Bool && v.text == "true" }

// List returns the elements of a list, nil for every other type. They must not be changed.
func (v Value) List() []Value { return v.list }

// Map returns the names and values of a map, or what is known of a Content; nil for every other type. They
// must not be changed.
func (v Value) Map() map[string]Value { return v.dict }

// Equal reports whether v and w hold the same: same type, same content. Two
// absent values are equal.
func (v Value) Equal(w Value) bool {
	if v.typ != w.typ || v.text != w.text || len(v.list) != len(w.list) || len(v.dict) != len(w.dict) {
		return false
	}
	for i := range v.list {
		if !v.list[i].Equal(w.list[i]) {
			return false
		}
	}
	for k, a := range v.dict {
		if b, ok := w.dict[k]; !ok || !a.Equal(b) {
			return false
		}
	}
	return true
}

// String renders v for a person, shortened; it is not an encoding.
func (v Value) String() string {
	switch v.typ {
	case Absent:
		return "(not shown)"
	case Null:
		return "(empty)"
	case Text:
		if v.text == "" {
			return "(empty)"
		}
		if v.Sealed() {
			return "(kept as a digest)"
		}
		return short(v.text)
	case Number, Bool:
		return v.text
	case List:
		parts := make([]string, len(v.list))
		for i, e := range v.list {
			parts[i] = e.String()
		}
		return short("[" + strings.Join(parts, ", ") + "]")
	case Map:
		return short("{" + strings.Join(entries(v.dict), ", ") + "}")
	case Content:
		return "content " + short(v.dict["digest"].text)
	}
	return ""
}

func entries(m map[string]Value) []string {
	parts := make([]string, 0, len(m))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, k+": "+m[k].String())
	}
	return parts
}

// short keeps a value readable on one line of a terminal.
func short(s string) string {
	const most = 120
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
