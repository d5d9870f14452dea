package dbkit

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

var (
	keyEscape   = strings.NewReplacer("%", "%25", ",", "%2C")
	keyUnescape = strings.NewReplacer("%2C", ",", "%25", "%")
)

// JoinKey makes one id of a key's values. A single value stands for itself;
// several are joined by commas, with commas and percent signs inside a value
// written as %2C and %25. An id is "" when a value is missing or is not UTF-8:
// such a row can't be told from others.
func JoinKey(values []Cell) string {
	parts := make([]string, len(values))
	for i, v := range values {
		text := v.Text
		switch v.Tag {
		case Null, Big:
			return ""
		case Blob:
			text = "x'" + hex.EncodeToString([]byte(text)) + "'"
		}
		if !utf8.ValidString(text) {
			return ""
		}
		if len(values) > 1 {
			text = keyEscape.Replace(text)
		}
		parts[i] = text
	}
	return strings.Join(parts, ",")
}

// SplitKey is the n values of an id that JoinKey made; ok is false when it holds
// another number of them.
func SplitKey(id string, n int) (values []string, ok bool) {
	if n == 1 {
		return []string{id}, id != ""
	}
	values = strings.Split(id, ",")
	for i := range values {
		values[i] = keyUnescape.Replace(values[i])
	}
	return values, len(values) == n
}

// MarshalJSON writes a cell of a cursor as its tag and its text, in hexadecimal
// where the text would not survive JSON.
func (c Cell) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(c.Text) {
		return json.Marshal(string(c.Tag) + c.Text)
	}
	return json.Marshal(string(c.Tag-'a'+'A') + hex.EncodeToString([]byte(c.Text)))
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (c *Cell) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return fmt.Errorf("read cursor: %w", err)
	}
	if s == "" {
		return fmt.Errorf("read cursor: a value without its type")
	}
	tag, text := s[0], s[1:]
	if tag >= 'A' && tag <= 'Z' {
		raw, err := hex.DecodeString(text)
		if err != nil {
			return fmt.Errorf("read cursor: %w", err)
		}
		tag, text = tag-'A'+'a', string(raw)
	}
	switch tag {
	case Null, Text, Int, Real, Blob:
		*c = Cell{Tag: tag, Text: text}
		return nil
	}
	return fmt.Errorf("read cursor: unknown type %q", tag)
}
