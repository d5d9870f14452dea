package mapping

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"nightporter/sync/record"
)

// each makes a field for each entry of a list's elements.
func (c *compiler) each(f *field) {
	switch {
	case f.Of != Block:
		c.fail(f.Name, "", "only a list of blocks has entries, and its elements are of type %q", f.Of)
		return
	case len(f.Each) == 0:
		c.fail(f.Name, "", "a list of blocks needs its entries: which keys of an element count?")
		return
	case f.As != List:
		c.fail(f.Name, "", "blocks make a list and no %s: the same one may be in it twice", f.As)
	}
	for _, which := range record.Sides {
		if s := &f.sides[which]; s.Split != "" || s.Element != "" || len(s.Paths) > 0 || s.Const != nil || s.Read != "" || s.Write != "" {
			c.fail(f.Name, c.system(which), "a list of blocks has one path, and its entries say the rest")
		}
	}
	for _, spec := range f.Each {
		if e := c.entry(f, spec); e != nil {
			f.each = append(f.each, e)
		}
	}
	for _, name := range f.Key {
		c.isEntry(f, name)
	}
	for _, which := range record.Sides {
		f.sides[which].inputs = append(f.sides[which].inputs, f.currencies(which)...)
		slices.Sort(f.sides[which].inputs)
		f.sides[which].inputs = slices.Compact(f.sides[which].inputs)
	}
}

// isEntry checks that a name in the Key of a list is the name of an entry.
func (c *compiler) isEntry(f *field, name string) {
	if slices.ContainsFunc(f.each, func(e *field) bool { return e.Name == f.Name+"."+name }) {
		return
	}
	var names []string
	for _, e := range f.Each {
		names = append(names, e.Name)
	}
	c.fail(f.Name, "", "its key: there is no entry %q%s", name, nearest(name, names))
}

// entry makes the field for one entry of a list's elements. It returns nil, and adds a mistake, if the
// entry has no name, a name that is taken, or a type that an entry can't have.
func (c *compiler) entry(f *field, spec FieldSpec) *field {
	if spec.As == "" {
		spec.As = Text
	}
	name := spec.Name
	spec.Name = f.Name + "." + name
	e := &field{FieldSpec: spec, m: c.m}
	codec, ok := codecOf(spec.As)
	switch {
	case name == "":
		c.fail(f.Name, "", "every entry needs a name")
		return nil
	case slices.ContainsFunc(f.each, func(o *field) bool { return o.Name == spec.Name }):
		c.fail(spec.Name, "", "it is there twice; keep one of the two")
		return nil
	case !ok:
		c.fail(spec.Name, "", "unknown type %q%s", spec.As, nearest(spec.As, types()))
		return nil
	case slices.Contains([]string{List, Set, Reference, Phone}, spec.As):
		c.fail(spec.Name, "", "an entry can't be of type %q", spec.As)
		return nil
	}
	e.codec = codec
	c.table(e)
	for _, which := range record.Sides {
		if s := spec.Sides[which]; len(s.Paths) > 0 || s.Split != "" || s.Element != "" || s.Read != "" || s.Write != "" {
			c.fail(spec.Name, c.system(which), "an entry has one path, the key of the element")
			continue
		}
		c.side(e, which)
	}
	return e
}

// currencies returns the paths that hold the currency of an entry. They are paths of the record, not of
// an element.
func (f *field) currencies(which record.Side) []string {
	var paths []string
	for _, e := range f.each {
		if s := e.sides[which]; e.As == Money && s.Currency != "" && s.currency == "" {
			paths = append(paths, s.Currency)
		}
	}
	return paths
}

// entryName returns the name of an entry without the name of its list.
func (f *field) entryName() string { return f.Name[strings.LastIndex(f.Name, ".")+1:] }

// blocks returns the native elements of a list of blocks. The list may be kept as a text that holds JSON.
func blocks(at spot, v record.Value) ([]record.Value, note) {
	if at.s.Format == FormatJSON && v.Type() == record.Text {
		dec := json.NewDecoder(strings.NewReader(v.Text()))
		dec.UseNumber()
		var a any
		if dec.Decode(&a) != nil || dec.More() {
			return nil, note{code: BadShape, text: "a list in JSON is expected here"}
		}
		var err error
		if v, err = record.FromJSON(a); err != nil {
			return nil, note{code: BadShape, text: "a list in JSON is expected here"}
		}
	}
	if v.Type() != record.List {
		return nil, note{code: BadShape, text: "a list is expected here; one kept as a text needs format: json"}
	}
	return v.List(), note{}
}

// readBlocks reads a list of blocks. If one element can't be read, the whole list can't be read: a list
// written back without the element would lose it.
func readBlocks(at spot, v record.Value) (record.Value, note) {
	natives, n := blocks(at, v)
	if n.bad() {
		return record.Value{}, n
	}
	var out []record.Value
	for _, e := range natives {
		b, n := readBlock(at, e)
		if n.bad() {
			return record.Value{}, n
		}
		if !b.Empty() {
			out = append(out, b)
		}
	}
	if len(out) == 0 {
		return record.Nothing(), note{}
	}
	if len(at.f.Key) > 0 {
		slices.SortStableFunc(out, at.f.compareBlocks)
	}
	return record.OfList(out...), note{}
}

// readBlock reads one element. Empty entries are left out.
func readBlock(at spot, native record.Value) (record.Value, note) {
	if native.Type() != record.Map {
		return record.Value{}, note{code: BadShape, text: "a list of blocks is expected here"}
	}
	own := at.ofBlock(native)
	out := map[string]record.Value{}
	for _, e := range at.f.each {
		v, n := at.f.m.readField(at.s.which, e, own)
		if n.bad() {
			n.text = e.entryName() + " of an element: " + n.text
			return record.Value{}, n
		}
		if v.Observed() && !v.Empty() {
			out[e.entryName()] = v
		}
	}
	for _, k := range at.f.Key {
		if !out[k].Observed() && len(out) > 0 {
			return record.Value{}, note{code: BadShape, text: "an element without its " + k}
		}
	}
	return record.OfMap(out), note{}
}

// ofBlock returns an element as if it were a record. Entries that the element lacks are Nothing, and a
// currency that it lacks is taken from the record.
func (at spot) ofBlock(native record.Value) record.Fields {
	own := record.Fields{}
	maps.Copy(own, native.Map())
	for _, e := range at.f.each {
		if s := &e.sides[at.s.which]; s.Path != "" && !own[s.Path].Observed() {
			own[s.Path] = record.Nothing()
		}
	}
	for _, p := range at.f.currencies(at.s.which) {
		if !own[p].Observed() {
			own[p] = at.native[p]
		}
	}
	return own
}

func (f *field) compareBlocks(a, b record.Value) int {
	for _, k := range f.Key {
		if d := record.Compare(a.Map()[k], b.Map()[k]); d != 0 {
			return d
		}
	}
	return strings.Compare(a.Encode(), b.Encode())
}

// sameBlock reports whether two elements are the same one: they have equal keys or, in a list without a
// key, they are equal.
func (f *field) sameBlock(a, b record.Value) bool {
	for _, k := range f.Key {
		if !a.Map()[k].Equal(b.Map()[k]) {
			return false
		}
	}
	return len(f.Key) > 0 || a.Equal(b)
}

// writeBlocks writes a list of blocks. If the side has an element already, whatever stands in it beside
// the entries is kept.
func writeBlocks(at spot, v record.Value) (record.Value, note) {
	if v.Type() != record.List {
		return record.Value{}, note{code: BadShape, text: "not a list"}
	}
	now, _ := blocks(at, at.native[at.s.Path])
	used := make([]bool, len(now))
	out := make([]record.Value, 0, len(v.List()))
	for _, b := range v.List() {
		has := map[string]record.Value{}
		if i, whole := at.findBlock(now, used, b); i >= 0 {
			used[i] = true
			if whole {
				out = append(out, now[i])
				continue
			}
			maps.Copy(has, now[i].Map())
		}
		n := at.writeBlock(has, b)
		if n.bad() {
			return record.Value{}, n
		}
		out = append(out, record.OfMap(has))
	}
	list := record.OfList(out...)
	if at.s.Format == FormatJSON {
		return record.OfText(list.Encode()), note{}
	}
	return list, note{}
}

// findBlock returns the index of the unused element that is b already, -1 if there is none. whole is true
// if the element equals b, false if only the key is the same.
func (at spot) findBlock(now []record.Value, used []bool, b record.Value) (i int, whole bool) {
	byKey := -1
	for i, e := range now {
		was, n := readBlock(at, e)
		switch {
		case used[i] || n.bad():
		case was.Equal(b):
			return i, true
		case byKey < 0 && at.f.sameBlock(was, b):
			byKey = i
		}
	}
	return byKey, false
}

// writeBlock writes the entries of b into an element. An entry that b lacks is cleared in the element.
func (at spot) writeBlock(has map[string]record.Value, b record.Value) note {
	own := at.ofBlock(record.OfMap(has))
	for _, e := range at.f.each {
		s := &e.sides[at.s.which]
		v := b.Map()[e.entryName()]
		if !v.Observed() {
			if _, was := has[s.Path]; !was || !s.owns() {
				continue
			}
			v = record.Nothing()
		}
		native, n := at.f.m.writeField(at.s.which, e, v, own)
		if n.bad() {
			n.text = e.entryName() + " of an element: " + n.text
			return n
		}
		if w, ok := native[s.Path]; ok {
			has[s.Path] = w
		}
	}
	return note{}
}
