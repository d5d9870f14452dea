package dbkit

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Named is a query with :name parameters, cut at them.
type Named struct {
	texts []string // one more than names
	names []string // in order of appearance, repeated where they are
}

// ParseNamed finds the :name parameters of a query. Texts in quotes, quoted names,
// comments, dollar quotes and :: casts are left alone. The query must be one
// statement that reads: it starts with select, with or values, and holds no
// semicolon.
func ParseNamed(query string) (Named, error) {
	query = strings.TrimSpace(query)
	first := strings.ToLower(query[:wordEnd(query, 0)])
	if first != "select" && first != "with" && first != "values" {
		return Named{}, errors.New("it must start with select, with or values")
	}
	var n Named
	from := 0
	err := scan(query, func(i int) (int, error) {
		switch {
		case query[i] == ';':
			return 0, errors.New("one statement, without a semicolon")
		case strings.HasPrefix(query[i:], "::"), strings.HasPrefix(query[i:], ":="):
			return i + 2, nil
		case query[i] == ':' && wordEnd(query, i+1) > i+1 && !digit(query[i+1]):
			end := wordEnd(query, i+1)
			n.texts = append(n.texts, query[from:i])
			n.names = append(n.names, query[i+1:end])
			from = end
			return end, nil
		}
		return i + 1, nil
	})
	n.texts = append(n.texts, query[from:])
	return n, err
}

// Names is the names of the parameters, each once.
func (n Named) Names() []string {
	names := slices.Clone(n.names)
	slices.Sort(names)
	return slices.Compact(names)
}

// SQL is the query with each appearance of a name replaced by what place gives.
func (n Named) SQL(place func(name string) string) string {
	var b strings.Builder
	for i, text := range n.texts {
		b.WriteString(text)
		if i < len(n.names) {
			b.WriteString(place(n.names[i]))
		}
	}
	return b.String()
}

// CheckPredicate says what keeps a text from being used as a condition between
// brackets: a semicolon, brackets that don't match, an open quote or comment.
func CheckPredicate(text string) error {
	depth := 0
	err := scan(text, func(i int) (int, error) {
		switch text[i] {
		case ';':
			return 0, errors.New("a condition holds no semicolon")
		case '(':
			depth++
		case ')':
			if depth--; depth < 0 {
				return 0, errors.New("a bracket is closed that was not opened")
			}
		}
		return i + 1, nil
	})
	if err == nil && depth != 0 {
		err = errors.New("a bracket is not closed")
	}
	return err
}

// Words is the bare and quoted names that a text of SQL holds, each once.
func Words(text string) []string {
	var words []string
	plain := func(i int) (int, error) {
		end := wordEnd(text, i)
		if end == i {
			return i + 1, nil
		}
		words = append(words, text[i:end])
		return end, nil
	}
	if err := scan(text, plain); err != nil {
		return nil
	}
	words = append(words, strings.Split(text, `"`)...)
	slices.Sort(words)
	return slices.Compact(words)
}

// scan calls plain at each byte that is outside of quotes and comments; plain
// says where to go on.
func scan(s string, plain func(i int) (int, error)) error {
	for i := 0; i < len(s); {
		end, err := quoted(s, i)
		if err == nil && end == i {
			end, err = plain(i)
		}
		if err != nil {
			return err
		}
		i = end
	}
	return nil
}

// quoted is the end of the quote or comment that begins at i, or i.
func quoted(s string, i int) (int, error) {
	rest := s[i:]
	switch {
	case rest[0] == '\'':
		escapes := i > 0 && (s[i-1] == 'e' || s[i-1] == 'E') && (i == 1 || !wordByte(s[i-2]))
		return closing(s, i, '\'', escapes)
	case rest[0] == '"', rest[0] == '`':
		return closing(s, i, rest[0], false)
	case strings.HasPrefix(rest, "--"):
		if end := strings.IndexByte(rest, '\n'); end >= 0 {
			return i + end, nil
		}
		return len(s), nil
	case strings.HasPrefix(rest, "/*"):
		if end := strings.Index(rest[2:], "*/"); end >= 0 {
			return i + 2 + end + 2, nil
		}
		return 0, errors.New("a comment is not closed")
	case rest[0] == '$' && (i == 0 || !wordByte(s[i-1])):
		end := wordEnd(s, i+1)
		if end >= len(s) || s[end] != '$' || digit(s[i+1]) {
			return i, nil
		}
		tag := s[i : end+1]
		if stop := strings.Index(s[end+1:], tag); stop >= 0 {
			return end + 1 + stop + len(tag), nil
		}
		return 0, fmt.Errorf("the quote %s is not closed", tag)
	}
	return i, nil
}

// closing is behind the quote that closes the one at i; a doubled quote doesn't.
func closing(s string, i int, quote byte, escapes bool) (int, error) {
	for j := i + 1; j < len(s); j++ {
		switch {
		case escapes && s[j] == '\\':
			j++
		case s[j] == quote && j+1 < len(s) && s[j+1] == quote:
			j++
		case s[j] == quote:
			return j + 1, nil
		}
	}
	return 0, fmt.Errorf("a quote %c is not closed", quote)
}

func wordEnd(s string, i int) int {
	for i < len(s) && wordByte(s[i]) {
		i++
	}
	return i
}

func wordByte(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || digit(c) || c >= 0x80
}

func digit(c byte) bool { return c >= '0' && c <= '9' }
