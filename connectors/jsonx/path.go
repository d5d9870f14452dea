// Package jsonx reads foreign JSON: it splits the body of a list into its rows
// without decoding them, and turns decoded JSON into record values and back.
//
// It accepts exactly what encoding/json accepts. Numbers never pass through a
// float.
package jsonx

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Path is the way to a value inside an object: one name for each level. The empty
// path is the whole.
type Path []string

// Any is the segment of a list's path that stands for every member of an object
// or element of an array.
const Any = "*"

// ParsePath reads a dotted path. A dot that belongs to a name is written "\.", a
// backslash "\\"; "." alone is the whole.
func ParsePath(s string) (Path, error) {
	if s == "." {
		return Path{}, nil
	}
	if s == "" {
		return nil, errors.New(`an empty path (the whole is written ".")`)
	}
	var p Path
	var name strings.Builder
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			if i+1 == len(s) || s[i+1] != '.' && s[i+1] != '\\' {
				return nil, fmt.Errorf(`path %q: a backslash stands only before a dot or a backslash`, s)
			}
			i++
			name.WriteByte(s[i])
		case '.':
			p = append(p, name.String())
			name.Reset()
		default:
			name.WriteByte(s[i])
		}
	}
	p = append(p, name.String())
	if slices.Contains(p, "") {
		return nil, fmt.Errorf("path %q has an empty name", s)
	}
	return p, nil
}

var escaper = strings.NewReplacer(`\`, `\\`, `.`, `\.`)

// String is the path as ParsePath reads it.
func (p Path) String() string {
	if len(p) == 0 {
		return "."
	}
	names := make([]string, len(p))
	for i, n := range p {
		names[i] = escaper.Replace(n)
	}
	return strings.Join(names, ".")
}

// At is the value that decoded JSON holds at p, and whether it shows one. Below a
// null everything is null. A whole number names an element of an array.
func At(a any, p Path) (v any, shown bool) {
	for _, name := range p {
		switch t := a.(type) {
		case map[string]any:
			if a, shown = t[name]; !shown {
				return nil, false
			}
		case []any:
			n, is := element(name)
			if !is || n >= len(t) {
				return nil, false
			}
			a = t[n]
		case nil:
			return nil, true
		default:
			return nil, false
		}
	}
	return a, true
}

// element is the place in a list that a name of a path stands for, and whether it may
// stand for one.
func element(name string) (n int, is bool) {
	n, err := strconv.Atoi(name)
	return n, err == nil && n >= 0
}

// Numbered reports whether p may lead to an element of a list. Such a path is only read:
// nothing here says whether an object or a list is to be made on the way.
func (p Path) Numbered() bool {
	return slices.ContainsFunc(p, func(name string) bool {
		_, is := element(name)
		return is
	})
}

// ErrElement is why a path with a number is not written.
var ErrElement = errors.New("a number in a path is the place of an element in a list, and elements can't be written, only read")

// Put is Set for what is sent to others: it replaces nothing on the way. A null on the
// way becomes an object.
func Put(m map[string]any, p Path, v any) error {
	if p.Numbered() {
		return ErrElement
	}
	for i := 1; i < len(p); i++ {
		a, shown := At(m, p[:i])
		if _, object := a.(map[string]any); shown && a != nil && !object {
			return fmt.Errorf("%q holds something that is no object, so that nothing can be written below it", p[:i])
		}
	}
	Set(m, p, v)
	return nil
}

// Set puts v at p below m and makes the objects on the way that are missing. What
// stands on the way and is no object is replaced.
func Set(m map[string]any, p Path, v any) {
	for i, name := range p {
		if i == len(p)-1 {
			m[name] = v
			return
		}
		next, ok := m[name].(map[string]any)
		if !ok {
			next = map[string]any{}
			m[name] = next
		}
		m = next
	}
}

// Delete takes what stands at p out of m.
func Delete(m map[string]any, p Path) {
	for i, name := range p {
		if i == len(p)-1 {
			delete(m, name)
			return
		}
		next, ok := m[name].(map[string]any)
		if !ok {
			return
		}
		m = next
	}
}
