package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// contentKey is the only key of the JSON object that a Content is encoded as. If a real map has a key
// that could be mistaken for it ("$content", "$$content" and so on), the encoding puts one more "$"
// before that key.
const contentKey = "$content"

// escaped reports whether a map's key is contentKey, with any number of further "$" before it.
func escaped(k string) bool {
	return strings.HasSuffix(k, contentKey) && strings.Trim(strings.TrimSuffix(k, contentKey), "$") == ""
}

// maxDepth bounds how deep values may nest when they are read back.
const maxDepth = 64

var errDepth = errors.New("nested too deep")

// MarshalJSON returns the canonical encoding: the same value always gives the same bytes, with map
// keys sorted. An Absent value has no encoding, and gives an error. Inside Fields it is left out.
func (v Value) MarshalJSON() ([]byte, error) { return v.append(nil) }

// Encode returns the canonical encoding as a string, "" for an Absent value.
func (v Value) Encode() string {
	if v.typ == Absent {
		return ""
	}
	b, err := v.append(nil)
	if err != nil {
		return ""
	}
	return string(b)
}

func (v Value) append(dst []byte) ([]byte, error) {
	switch v.typ {
	case Absent:
		return nil, errors.New("encode value: an absent value has no encoding")
	case Null:
		return append(dst, "null"...), nil
	case Text:
		return appendText(dst, v.text), nil
	case Number, Bool:
		return append(dst, v.text...), nil
	case List:
		dst = append(dst, '[')
		for i, e := range v.list {
			if i > 0 {
				dst = append(dst, ',')
			}
			var err error
			if dst, err = e.append(dst); err != nil {
				return nil, err
			}
		}
		return append(dst, ']'), nil
	case Map:
		return appendDict(dst, v.dict, true)
	case Content:
		dst = append(dst, `{"`+contentKey+`":`...)
		dst, err := appendDict(dst, v.dict, false)
		return append(dst, '}'), err
	}
	return nil, fmt.Errorf("encode value: unknown type %d", v.typ)
}

func appendDict(dst []byte, m map[string]Value, escape bool) ([]byte, error) {
	dst = append(dst, '{')
	first := true
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if m[k].typ == Absent {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		if escape && escaped(k) {
			dst = appendText(dst, "$"+k)
		} else {
			dst = appendText(dst, k)
		}
		dst = append(dst, ':')
		var err error
		if dst, err = m[k].append(dst); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

func appendText(dst []byte, s string) []byte {
	if plain(s) {
		dst = append(dst, '"')
		dst = append(dst, s...)
		return append(dst, '"')
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil { // a string always encodes
		return append(dst, `""`...)
	}
	return append(dst, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
}

// plain reports whether a text stands in JSON unchanged between its quotes: it is valid UTF-8, and has
// no quote, backslash, control character or line separator that JSON escapes.
func plain(s string) bool {
	ascii := true
	for i := range len(s) {
		switch c := s[i]; {
		case c >= utf8.RuneSelf:
			ascii = false
		case c < ' ', c == '"', c == '\\', c == 0x7f:
			return false
		}
	}
	return ascii || utf8.ValidString(s) && !strings.ContainsAny(s, "\u2028\u2029")
}

// UnmarshalJSON reads any JSON value, also what MarshalJSON wrote.
func (v *Value) UnmarshalJSON(b []byte) error {
	if len(b) > 1 && b[0] == '"' { // most values are texts, and a decoder for each of them is slow
		var text string
		if err := json.Unmarshal(b, &text); err != nil {
			return fmt.Errorf("decode value: %w", err)
		}
		*v = OfText(text)
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	var a any
	if err := dec.Decode(&a); err != nil {
		return fmt.Errorf("decode value: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("decode value: more than one value")
	}
	w, err := fromJSON(a, true, 0)
	if err != nil {
		return fmt.Errorf("decode value: %w", err)
	}
	*v = w
	return nil
}

// FromJSON makes a Value of what encoding/json decoded into `any` (with UseNumber). The JSON is
// foreign: an object that happens to look like an encoded Content stays a map.
func FromJSON(a any) (Value, error) { return fromJSON(a, false, 0) }

func fromJSON(a any, own bool, depth int) (Value, error) {
	if depth > maxDepth {
		return Value{}, errDepth
	}
	switch a := a.(type) {
	case nil:
		return Nothing(), nil
	case string:
		return OfText(a), nil
	case bool:
		return OfBool(a), nil
	case json.Number:
		return OfNumber(a.String())
	case []any:
		list := make([]Value, len(a))
		for i := range a {
			var err error
			if list[i], err = fromJSON(a[i], own, depth+1); err != nil {
				return Value{}, err
			}
		}
		return Value{typ: List, list: list}, nil
	case map[string]any:
		return dictFromJSON(a, own, depth)
	}
	return Value{}, fmt.Errorf("unexpected %T", a)
}

func dictFromJSON(a map[string]any, own bool, depth int) (Value, error) {
	dict := make(map[string]Value, len(a))
	for k, e := range a {
		w, err := fromJSON(e, own, depth+1)
		if err != nil {
			return Value{}, err
		}
		if own && k == contentKey && len(a) == 1 {
			return Value{typ: Content, dict: w.dict}, nil
		}
		if own && escaped(k) {
			k = strings.TrimPrefix(k, "$")
		}
		dict[k] = w
	}
	return Value{typ: Map, dict: dict}, nil
}
