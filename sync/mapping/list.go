package mapping

import (
	"slices"
	"strings"

	"nightporter/sync/record"
)

// readList reads a list or a set: a native list, or a text with separators. If one element can't be
// read, the whole list can't be read: a list written back without the element would lose it.
func readList(at spot, v record.Value) (record.Value, note) {
	if at.f.Of == Block {
		return readBlocks(at, v)
	}
	natives, n := elements(at, v)
	if n.bad() {
		return record.Value{}, n
	}
	var out []record.Value
	var unsure []string
	for _, e := range natives {
		c, n := readElement(at, e)
		if n.code == NotAValue || c.Type() == record.Null {
			continue
		}
		if !c.Observed() {
			return record.Value{}, n
		}
		unsure = append(unsure, n.unsure...)
		out = append(out, c)
	}
	if at.f.As == Set {
		slices.SortFunc(out, func(a, b record.Value) int { return strings.Compare(a.Encode(), b.Encode()) })
		out = slices.CompactFunc(out, record.Value.Equal)
	}
	if len(out) == 0 {
		return record.Nothing(), note{}
	}
	return record.OfList(out...), note{unsure: unsure}
}

// elements returns the native elements of a list.
func elements(at spot, v record.Value) ([]record.Value, note) {
	if at.s.Split != "" {
		s, n := scalar(v)
		if n.bad() {
			return nil, n
		}
		var out []record.Value
		for part := range strings.SplitSeq(s, at.s.Split) {
			out = append(out, record.OfText(strings.TrimSpace(part)))
		}
		return out, note{}
	}
	if v.Type() != record.List {
		return nil, note{code: BadShape, text: "a list is expected here; one kept as a text needs split"}
	}
	return v.List(), note{}
}

// readElement reads one native element. An empty element is Nothing. For a text that is not a real
// value the note is NotAValue.
func readElement(at spot, e record.Value) (record.Value, note) {
	if at.s.Element != "" {
		if e.Type() != record.Map {
			return record.Value{}, note{code: BadShape, text: "a list of maps is expected here"}
		}
		e = e.Map()[at.s.Element]
	}
	if !e.Observed() || blank(e) {
		return record.Nothing(), note{}
	}
	of := at.f.of
	c, n := of.codec.read(spot{f: of, s: &of.sides[at.s.which], native: at.native}, e)
	if c.Observed() && matchesAny(at.f.never, c.Text()) {
		return record.Value{}, note{code: NotAValue}
	}
	return c, n
}

// writeList writes a list. Elements that the side has already stay unchanged, with everything that stands
// beside their value. Elements that are not real values stay too: nobody asked to remove them.
func writeList(at spot, v record.Value) (record.Value, note) {
	if at.f.Of == Block {
		return writeBlocks(at, v)
	}
	if v.Type() != record.List {
		return record.Value{}, note{code: BadShape, text: "not a list"}
	}
	now, _ := elements(at, at.native[at.s.Path])
	var out []record.Value
	used := make([]bool, len(now))
	of := at.f.of
	for _, c := range v.List() {
		if matchesAny(at.f.never, c.Text()) {
			continue
		}
		if i := findElement(at, now, used, c); i >= 0 {
			used[i] = true
			out = append(out, now[i])
			continue
		}
		e, n := of.codec.write(spot{f: of, s: &of.sides[at.s.which], native: at.native}, c)
		if n.bad() {
			return record.Value{}, n
		}
		if at.s.Element != "" {
			e = record.OfMap(map[string]record.Value{at.s.Element: e})
		}
		out = append(out, e)
	}
	for i, e := range now {
		if _, n := readElement(at, e); !used[i] && n.code == NotAValue {
			out = append(out, e)
		}
	}
	return joinElements(at, out)
}

func findElement(at spot, now []record.Value, used []bool, c record.Value) int {
	for i, e := range now {
		if used[i] {
			continue
		}
		if r, _ := readElement(at, e); r.Equal(c) {
			return i
		}
	}
	return -1
}

// joinElements returns the list in the form in which the side keeps it: a native list, or a text with
// separators. The note is BadShape if an element contains the separator.
func joinElements(at spot, es []record.Value) (record.Value, note) {
	if at.s.Split == "" {
		return record.OfList(es...), note{}
	}
	texts := make([]string, len(es))
	for i, e := range es {
		texts[i] = e.Text()
		if strings.Contains(texts[i], at.s.Split) {
			return record.Value{}, note{code: BadShape, text: "an element has the separator in it"}
		}
	}
	return record.OfText(strings.Join(texts, at.s.Split)), note{}
}
