package jsonx

import (
	"bytes"
	"errors"
	"fmt"

	"nightporter/sync/record"
)

// Item is one row of a list: its bytes, and the text of its id, empty when it
// shows none.
type Item struct {
	ID  string
	Raw []byte // a slice of the body
}

// List is what a body holds.
type List struct {
	Items   []Item
	Null    bool     // the list is null
	Longest int      // rows of the longest group, of all where there are no groups
	Values  [][]byte // for each value path its raw JSON, nil where there is none
}

// ErrNoList says that a body is JSON and has no list where one is expected.
var ErrNoList = errors.New("no list")

// Splitter splits bodies of one shape. It may be used by several goroutines.
type Splitter struct {
	items  Path
	id     Path
	root   *node
	values int
}

// node is a name on the way to the list or to a value of the envelope.
type node struct {
	names []string
	kids  []*node
	list  bool
	value int // 1 + the index of a value path, 0 for none
}

// NewSplitter makes a splitter for rows at the path items (Any stands for every
// member: rows grouped under keys), each with its id at the path id, and for the
// envelope's values.
func NewSplitter(items, id Path, values ...Path) *Splitter {
	s := &Splitter{items: items, id: id, root: &node{}, values: len(values)}
	s.root.at(items).list = true
	for i, p := range values {
		s.root.at(p).value = i + 1
	}
	return s
}

func (n *node) at(p Path) *node {
	for _, name := range p {
		kid := n.kid(name)
		if kid == nil {
			kid = &node{}
			n.names, n.kids = append(n.names, name), append(n.kids, kid)
		}
		n = kid
	}
	return n
}

func (n *node) kid(name string) *node {
	for i, have := range n.names {
		if have == name {
			return n.kids[i]
		}
	}
	return nil
}

func (n *node) member(key []byte) *node {
	var star *node
	for i, name := range n.names {
		if name == Any {
			star = n.kids[i]
		} else if named(key, name) {
			return n.kids[i]
		}
	}
	return star
}

// split is the state of one pass.
type split struct {
	scan
	shape *Splitter
	list  List
	found bool
	was   string // what stands where the list should
	star  int    // how many levels of Any enclose this one
	odd   bool   // a member of a group is no list

	start, end int // of the current row's id
}

// Split reads a body in one pass. It accepts what encoding/json accepts; of names
// that occur twice the last counts. The error is a *SyntaxError, or ErrNoList
// wrapped with what stands in the list's place.
func (s *Splitter) Split(body []byte) (List, error) {
	p := split{scan: scan{b: body}, shape: s, was: "nothing"}
	p.list.Values = make([][]byte, s.values)
	i := p.space(0)
	if i = p.walk(i, s.root); i >= 0 {
		if i = p.space(i); i != len(body) {
			p.bad(i)
		}
	}
	if p.err != nil {
		return List{}, p.err
	}
	if !p.found || p.odd {
		return List{Values: p.list.Values}, fmt.Errorf("%w at %q: there is %s", ErrNoList, s.items, p.was)
	}
	return p.list, nil
}

// Lines reads a body that holds a row on each line; empty lines are left out. The
// error is a *SyntaxError that counts from the beginning of its line, or ErrNoList
// wrapped with what stands in a row's place.
func (s *Splitter) Lines(body []byte) (List, error) {
	list := List{Values: make([][]byte, s.values)}
	for line := range bytes.Lines(body) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		p := split{scan: scan{b: line}, shape: s}
		if i := p.row(0); i >= 0 && i != len(line) {
			p.bad(i)
		}
		if p.err != nil {
			return List{Values: list.Values}, p.err
		}
		if line[0] != '{' {
			return List{Values: list.Values}, fmt.Errorf("%w of records on each line: there is %s on one", ErrNoList, form(line[0]))
		}
		list.Items = append(list.Items, p.list.Items...)
	}
	list.Longest = len(list.Items)
	return list, nil
}

// walk reads the value at i, which stands where n stands.
func (p *split) walk(i int, n *node) int {
	if i >= len(p.b) {
		return p.bad(i)
	}
	start, end := i, 0
	switch {
	case p.b[i] == '[' && n.list:
		p.found = true
		had := len(p.list.Items)
		end = p.array(i, p.row)
		p.list.Longest = max(p.list.Longest, len(p.list.Items)-had)
	case p.b[i] == '[' && n.kid(Any) != nil:
		p.found = true
		kid := n.kid(Any)
		p.star++
		end = p.array(i, func(i int) int { return p.walk(i, kid) })
		p.star--
	case p.b[i] == '{' && len(n.kids) > 0:
		end = p.members(i, n)
	default:
		end = p.value(i)
	}
	if end < 0 {
		return -1
	}
	if n.list && p.b[start] != '[' {
		p.was = form(p.b[start])
		if p.b[start] == 'n' {
			p.found, p.list.Null = true, true
		} else if p.star > 0 {
			p.odd = true
		}
	}
	if n.value > 0 {
		p.list.Values[n.value-1] = p.b[start:end]
	}
	return end
}

func (p *split) members(i int, n *node) int {
	star := n.kid(Any)
	if star != nil {
		p.found = true
	}
	return p.object(i, func(key []byte, i int) int {
		kid := n.member(key)
		if kid == nil {
			return p.value(i)
		}
		if kid != star {
			p.forget(kid)
			return p.walk(i, kid)
		}
		p.star++
		defer func() { p.star-- }()
		return p.walk(i, kid)
	})
}

// forget drops what an earlier member of the same name gave.
func (p *split) forget(n *node) {
	if n.value > 0 {
		p.list.Values[n.value-1] = nil
	}
	if (n.list || n.kid(Any) != nil) && p.star == 0 {
		p.list.Items, p.list.Null, p.found, p.was = p.list.Items[:0], false, false, "nothing"
		p.list.Longest = 0
	}
	for _, kid := range n.kids {
		p.forget(kid)
	}
}

// row reads one row.
func (p *split) row(i int) int {
	p.start, p.end = 0, 0
	end := p.within(i, 0)
	if end < 0 {
		return -1
	}
	p.list.Items = append(p.list.Items, Item{ID: idText(p.b[p.start:p.end]), Raw: p.b[i:end]})
	return end
}

// within reads a value of a row at that level of the id's path.
func (p *split) within(i, level int) int {
	if level == len(p.shape.id) {
		end := p.value(i)
		if end >= 0 {
			p.start, p.end = i, end
		}
		return end
	}
	if i >= len(p.b) || p.b[i] != '{' {
		return p.value(i)
	}
	name := p.shape.id[level]
	return p.object(i, func(key []byte, i int) int {
		if !named(key, name) {
			return p.value(i)
		}
		p.start, p.end = 0, 0
		return p.within(i, level+1)
	})
}

// idText is a raw value as an id: a text or a number. Other values are none.
func idText(raw []byte) string {
	if len(raw) == 0 {
		return ""
	}
	switch c := raw[0]; {
	case c == '"':
		return unquote(raw)
	case c == '-' || c >= '0' && c <= '9':
		for _, d := range raw {
			if d < '0' || d > '9' {
				return numberText(string(raw))
			}
		}
		return string(raw)
	}
	return ""
}

func numberText(s string) string {
	v, err := record.OfNumber(s)
	if err != nil {
		return ""
	}
	return v.Text()
}

// form names what begins with c.
func form(c byte) string {
	switch c {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a text"
	case 't', 'f':
		return "a truth value"
	case 'n':
		return "null"
	}
	return "a number"
}

// Find is the raw JSON at p in raw, nil where there is none or where raw is not
// JSON. It decodes nothing.
func Find(raw []byte, p Path) []byte {
	s := split{scan: scan{b: raw}, shape: &Splitter{id: p}}
	if s.within(s.space(0), 0) < 0 || s.end == 0 {
		return nil
	}
	return raw[s.start:s.end]
}

// Text is the text of a raw JSON text or number, "" for everything else.
func Text(raw []byte) string { return idText(raw) }
