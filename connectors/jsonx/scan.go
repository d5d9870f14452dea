package jsonx

import (
	"encoding/json"
	"fmt"
)

// SyntaxError says that a body is not JSON.
type SyntaxError struct {
	Offset int  // of the first byte that can't stand where it stands
	Size   int  // of the body
	Cut    bool // the body ends in the middle
	Deep   bool // it nests deeper than maxDepth
}

// Error tells where, and nothing of what stands there.
func (e *SyntaxError) Error() string {
	switch {
	case e.Cut:
		return fmt.Sprintf("the JSON ends in the middle, after %d bytes", e.Size)
	case e.Deep:
		return fmt.Sprintf("the JSON nests deeper than %d levels", maxDepth)
	}
	return fmt.Sprintf("not JSON at byte %d of %d", e.Offset, e.Size)
}

// maxDepth bounds recursion.
const maxDepth = 1000

// scan walks over one body. Its methods take the index where something begins and
// return the one behind it, or -1 after noting what is wrong.
type scan struct {
	b     []byte
	depth int
	err   *SyntaxError
}

func (s *scan) bad(i int) int {
	if s.err == nil {
		s.err = &SyntaxError{Offset: i, Size: len(s.b), Cut: i >= len(s.b)}
	}
	return -1
}

func (s *scan) enter() bool {
	if s.depth++; s.depth <= maxDepth {
		return true
	}
	if s.err == nil {
		s.err = &SyntaxError{Size: len(s.b), Deep: true}
	}
	return false
}

func (s *scan) space(i int) int {
	for i < len(s.b) {
		switch s.b[i] {
		case ' ', '\n', '\r', '\t':
			i++
		default:
			return i
		}
	}
	return i
}

// value skips one value that begins at i, checking it.
func (s *scan) value(i int) int {
	if i >= len(s.b) {
		return s.bad(i)
	}
	switch c := s.b[i]; {
	case c == '"':
		return s.text(i)
	case c == '{':
		return s.object(i, nil)
	case c == '[':
		return s.array(i, nil)
	case c == '-' || c >= '0' && c <= '9':
		return s.number(i)
	case c == 't':
		return s.word(i, "true")
	case c == 'f':
		return s.word(i, "false")
	case c == 'n':
		return s.word(i, "null")
	}
	return s.bad(i)
}

func (s *scan) word(i int, w string) int {
	for k := range len(w) {
		if i+k >= len(s.b) || s.b[i+k] != w[k] {
			return s.bad(i + k)
		}
	}
	return i + len(w)
}

// text skips the string that begins with the quote at i.
func (s *scan) text(i int) int {
	b := s.b
	for i++; i < len(b); {
		c := b[i]
		if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		}
		switch c {
		case '"':
			return i + 1
		case '\\':
			if i = s.escape(i + 1); i < 0 {
				return -1
			}
		default:
			return s.bad(i)
		}
	}
	return s.bad(i)
}

func (s *scan) escape(i int) int {
	if i >= len(s.b) {
		return s.bad(i)
	}
	switch s.b[i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 1
	case 'u':
		for k := i + 1; k <= i+4; k++ {
			if k >= len(s.b) || !hex(s.b[k]) {
				return s.bad(k)
			}
		}
		return i + 5
	}
	return s.bad(i)
}

func hex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func (s *scan) digits(i int) int {
	for i < len(s.b) && s.b[i] >= '0' && s.b[i] <= '9' {
		i++
	}
	return i
}

func (s *scan) number(i int) int {
	b := s.b
	if b[i] == '-' {
		i++
	}
	switch {
	case i < len(b) && b[i] == '0':
		i++
	case i < len(b) && b[i] >= '1' && b[i] <= '9':
		i = s.digits(i)
	default:
		return s.bad(i)
	}
	if i < len(b) && b[i] == '.' {
		start := i + 1
		if i = s.digits(start); i == start {
			return s.bad(i)
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		start := i
		if i = s.digits(start); i == start {
			return s.bad(i)
		}
	}
	return i
}

// object walks the object that begins at i. member, if there is one, is given the
// key, quotes and all, and where the value begins, and returns where it ends.
func (s *scan) object(i int, member func(key []byte, i int) int) int {
	if !s.enter() {
		return -1
	}
	if i = s.space(i + 1); i < len(s.b) && s.b[i] == '}' {
		s.depth--
		return i + 1
	}
	for {
		if i >= len(s.b) || s.b[i] != '"' {
			return s.bad(i)
		}
		end := s.text(i)
		if end < 0 {
			return -1
		}
		key := s.b[i:end]
		if i = s.space(end); i >= len(s.b) || s.b[i] != ':' {
			return s.bad(i)
		}
		i = s.space(i + 1)
		if member != nil {
			i = member(key, i)
		} else {
			i = s.value(i)
		}
		if i < 0 {
			return -1
		}
		if i = s.space(i); i >= len(s.b) {
			return s.bad(i)
		}
		switch s.b[i] {
		case ',':
			i = s.space(i + 1)
		case '}':
			s.depth--
			return i + 1
		default:
			return s.bad(i)
		}
	}
}

// array walks the array that begins at i; element is like member of object.
func (s *scan) array(i int, element func(i int) int) int {
	if !s.enter() {
		return -1
	}
	if i = s.space(i + 1); i < len(s.b) && s.b[i] == ']' {
		s.depth--
		return i + 1
	}
	for {
		if element != nil {
			i = element(i)
		} else {
			i = s.value(i)
		}
		if i < 0 {
			return -1
		}
		if i = s.space(i); i >= len(s.b) {
			return s.bad(i)
		}
		switch s.b[i] {
		case ',':
			i = s.space(i + 1)
		case ']':
			s.depth--
			return i + 1
		default:
			return s.bad(i)
		}
	}
}

// named reports whether key, quotes and all, is name.
func named(key []byte, name string) bool {
	inner := key[1 : len(key)-1]
	if simple(inner) {
		return string(inner) == name
	}
	return unquote(key) == name
}

// simple reports whether the inside of a string stands for itself.
func simple(b []byte) bool {
	for _, c := range b {
		if c == '\\' || c >= 0x80 {
			return false
		}
	}
	return true
}

func unquote(quoted []byte) string {
	if inner := quoted[1 : len(quoted)-1]; simple(inner) {
		return string(inner)
	}
	var t string
	if err := json.Unmarshal(quoted, &t); err != nil { // it was checked
		return ""
	}
	return t
}
