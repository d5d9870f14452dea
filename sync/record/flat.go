package record

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// Most of what is stored is a flat JSON object of plain texts, and hundreds of thousands of them are read
// back. Such an object is read by the code here, everything else by encoding/json.

// UnmarshalJSON reads what MarshalJSON wrote, and any other JSON object; null gives nil.
func (f *Fields) UnmarshalJSON(b []byte) error {
	p := flat{rest: b}
	if out, ok := object(&p, (*flat).value); ok {
		*f = out
		return nil
	}
	var out map[string]Value
	if err := json.Unmarshal(b, &out); err != nil {
		return fmt.Errorf("decode fields: %w", err)
	}
	*f = out
	return nil
}

// UnmarshalJSON reads an object of stored values; null gives nil.
func (b *Base) UnmarshalJSON(text []byte) error {
	p := flat{rest: text}
	if out, ok := object(&p, (*flat).stored); ok {
		*b = out
		return nil
	}
	var out map[string]Stored
	if err := json.Unmarshal(text, &out); err != nil {
		return fmt.Errorf("decode base: %w", err)
	}
	*b = out
	return nil
}

// flat reads only the plainest sort of JSON. Its functions give up (false) at anything else: at blanks,
// escapes, numbers and lists.
type flat struct{ rest []byte }

// object reads an object, after which the input must end; false if it is not plain enough.
func object[V any](p *flat, value func(*flat) (V, bool)) (map[string]V, bool) {
	if !p.take('{') {
		return nil, false
	}
	out := map[string]V{}
	if p.take('}') {
		return out, len(p.rest) == 0
	}
	for {
		name, ok := p.text()
		if !ok || !p.take(':') {
			return nil, false
		}
		if out[name], ok = value(p); !ok {
			return nil, false
		}
		if p.take('}') {
			return out, len(p.rest) == 0
		}
		if !p.take(',') {
			return nil, false
		}
	}
}

func (p *flat) take(c byte) bool {
	if len(p.rest) == 0 || p.rest[0] != c {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

// text reads a text without escapes; false at any other.
func (p *flat) text() (string, bool) {
	if !p.take('"') {
		return "", false
	}
	ascii := true
	for i, c := range p.rest {
		switch {
		case c == '"':
			s := string(p.rest[:i])
			p.rest = p.rest[i+1:]
			return s, ascii || utf8.ValidString(s)
		case c == '\\', c < ' ':
			return "", false
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return "", false
}

func (p *flat) value() (Value, bool) {
	const null = "null"
	if len(p.rest) >= len(null) && string(p.rest[:len(null)]) == null {
		p.rest = p.rest[len(null):]
		return Nothing(), true
	}
	s, ok := p.text()
	return OfText(s), ok
}

func (p *flat) stored() (Stored, bool) {
	const begin = `{"v":`
	if len(p.rest) < len(begin) || string(p.rest[:len(begin)]) != begin {
		return Stored{}, false
	}
	p.rest = p.rest[len(begin):]
	v, ok := p.value()
	return Keep(v), ok && p.take('}')
}
