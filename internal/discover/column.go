package discover

import (
	"maps"
	"slices"
	"strings"

	"nightporter/sync/mapping"
	"nightporter/sync/record"
)

// column is a field of a kind with what its values tell.
type column struct {
	Column
	kind    *kind
	concept string // what its name stands for
	says    string // what its name stands for, where its values are something else
	values  []record.Value
	filled  int // rows in which it holds something
	various int // different values among them
	ways    sorted

	money      bool   // its name says that it is an amount,
	unit, code string // of cents, and of which currency

	read map[reading][]string // its values in one spelling, "" for none
}

// fewest is in how many records a name must stand to be one of a field: keys of a block
// may be data themselves.
const fewest = 2

// columnsOf is the fields of a sample: those that are described, then those that are
// only shown.
func (d *dictionary) columnsOf(k *kind) []*column {
	var out []*column
	known, shown := map[string]bool{}, map[string]int{}
	add := func(c Column) {
		c.ReadOnly = c.ReadOnly || k.ReadOnly
		col := &column{Column: c, kind: k, concept: d.concept(c.Path, k.Kind), read: map[reading][]string{}}
		for _, row := range k.Rows {
			col.values = append(col.values, row.Fields[c.Path])
		}
		values := map[string]bool{}
		for _, v := range col.values {
			if holds(v) {
				col.filled++
				values[v.Text()] = true
			}
		}
		col.various = len(values)
		col.priced(d)
		known[c.Path] = true
		out = append(out, col)
	}
	for _, c := range k.Columns {
		if !c.Expected || len(k.Rows) == 0 || slices.ContainsFunc(k.Rows, func(r Row) bool { return r.Fields[c.Path].Observed() }) {
			add(c)
		}
	}
	for _, row := range k.Rows {
		for path, v := range row.Fields {
			if v.Type() != record.Map && (v.Type() != record.List || ofTexts(v) && len(v.List()) > 0) {
				shown[path]++
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(shown)) {
		if !known[path] && plain(path) && (shown[path] >= fewest || len(k.Rows) < fewest) {
			add(Column{Path: path})
		}
	}
	return out
}

// plain reports whether a name is one that somebody gave a field, and no guest's.
func plain(path string) bool {
	digits := 0
	for _, r := range path {
		switch {
		case r >= '0' && r <= '9':
			digits++
		case r == '@', r == '+', r == '\n', r == '"', r == '\\':
			return false
		}
	}
	return digits <= 3 && len(path) <= 80 && !slices.ContainsFunc(strings.Split(path, "."), numeral)
}

// numeral reports whether a name is a number: a place in a list, or a key that is data.
func numeral(name string) bool {
	return name != "" && strings.Trim(name, "0123456789") == ""
}

// texts is the values in the one spelling that a reading gives them.
func (c *column) texts(rs *readers, r reading) []string {
	if t, ok := c.read[r]; ok {
		return t
	}
	out := make([]string, len(c.values))
	for i, v := range c.values {
		if text, ok := rs.read(r, v); ok && (holds(v) || r.as == mapping.Set) {
			out[i] = text
		}
	}
	c.read[r] = out
	return out
}

// unique is the part of the filled values that no other record has.
func unique(texts []string) float64 {
	n, seen := 0, map[string]int{}
	for _, t := range texts {
		if t != "" {
			n++
			seen[t]++
		}
	}
	if n == 0 {
		return 0
	}
	once := 0
	for _, k := range seen {
		if k == 1 {
			once++
		}
	}
	return float64(once) / float64(n)
}

// own reports whether a field is the system's own account of its records.
func (c *column) own() bool {
	return c.concept == created || c.concept == changed || c.concept == identifier
}

// is reports whether the values alone tell that a field is of a type.
func (c *column) is(as string) bool {
	return slices.ContainsFunc(c.ways.sure, func(r reading) bool { return r.as == as })
}

// dated reports whether a field may hold days.
func (c *column) dated() bool { return len(c.ways.as(mapping.Date)) > 0 }

// contrary reports whether values contradict what a name says: a phone that holds
// e-mails.
func (c *column) contrary() bool {
	if c.filled == 0 {
		return false
	}
	want := map[string][]string{
		phoneName: {mapping.Phone}, mobileName: {mapping.Phone}, emailName: {mapping.Email},
		arrival: {mapping.Date, mapping.Instant}, departure: {mapping.Date, mapping.Instant}, birthDate: {mapping.Date},
		language: {mapping.Language}, country: {mapping.Country},
	}[c.concept]
	if len(want) > 0 {
		return len(c.ways.as(want...)) == 0
	}
	switch c.concept {
	case givenName, familyName, fullName, notes, "address", "city", "company", "title":
		return len(c.ways.sure) > 0 || c.numeric()
	}
	return false
}

func (c *column) numeric() bool { return len(c.ways.as(mapping.Number)) > 0 }
