package simulator

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"time"
)

// row is one version of a record. It never changes once it is in a table: an edit
// puts another row in its place, so that backups and lagging views share rows.
type row struct {
	id               string
	seq              int64 // order of creation
	stamp            int64 // order of the last change
	created, updated time.Time
	name             string // key of ByName
	fields           map[string]any
	json             []byte // rendered on first use, under the Sim's lock
}

// change is one step of a table's history; before is nil for a create, after for a delete.
type change struct {
	n             int64
	at            time.Time
	before, after *row
}

func (c change) id() string {
	if c.after != nil {
		return c.after.id
	}
	return c.before.id
}

// table holds the records of one kind in one account.
type table struct {
	res     *resource
	api     dialect
	rows    map[string]*row
	made    int64                          // records ever created: sequential ids count it
	keys    map[string]map[string][]string // field, key, ids
	orders  map[Order]*orderedRows
	history []change // kept while a lag fault is armed
}

func newTable(res *resource, api dialect) *table {
	return &table{
		res: res, api: api,
		rows:   map[string]*row{},
		keys:   map[string]map[string][]string{},
		orders: map[Order]*orderedRows{},
	}
}

// clone shares the rows but no map with t; it has no history.
func (t *table) clone() *table {
	c := newTable(t.res, t.api)
	c.made = t.made
	for _, r := range t.rows {
		c.rows[r.id] = r
		c.index(r)
	}
	return c
}

// apply makes a change current. With keep it stays in the history.
func (t *table) apply(c change, keep bool) {
	if c.before != nil {
		t.unindex(c.before)
		delete(t.rows, c.before.id)
	}
	if c.after != nil {
		t.index(c.after)
		t.rows[c.after.id] = c.after
	}
	for _, o := range t.orders {
		o.note(c)
	}
	if keep {
		t.history = append(t.history, c)
	} else {
		t.history = nil
	}
}

func (t *table) index(r *row) {
	for _, f := range t.res.fields {
		text := textOf(r.fields, f.name)
		if !f.indexed() || text == "" {
			continue
		}
		if t.keys[f.name] == nil {
			t.keys[f.name] = map[string][]string{}
		}
		key := f.key(text)
		t.keys[f.name][key] = append(t.keys[f.name][key], r.id)
	}
}

func (t *table) unindex(r *row) {
	for _, f := range t.res.fields {
		text := textOf(r.fields, f.name)
		if !f.indexed() || text == "" {
			continue
		}
		key := f.key(text)
		ids := t.keys[f.name][key]
		if i := slices.Index(ids, r.id); i >= 0 {
			ids = slices.Delete(ids, i, i+1)
		}
		if len(ids) == 0 {
			delete(t.keys[f.name], key)
			continue
		}
		t.keys[f.name][key] = ids
	}
}

// taken tells whether a record other than id carries the key.
func (t *table) taken(f field, text, id string) bool {
	if text == "" {
		return false
	}
	return slices.ContainsFunc(t.keys[f.name][f.key(text)], func(other string) bool { return other != id })
}

// sorted is all rows in an order. The slice is the table's own.
func (t *table) sorted(o Order) []*row {
	if t.orders[o] == nil {
		t.orders[o] = &orderedRows{compare: o.compare(), stale: true}
	}
	return t.orders[o].read(t.rows)
}

// rewound is, by id, what the rows changed since a moment were then; nil where
// there was no such row. Changes up to number n count as long ago: they were made
// before the lag began.
func (t *table) rewound(n int64, since time.Time) map[string]*row {
	then := map[string]*row{}
	for _, c := range slices.Backward(t.history) {
		if c.n <= n || !c.at.After(since) {
			break
		}
		then[c.id()] = c.before
	}
	return then
}

// sortedThen is sorted as it was before the changes that rewound told of.
func (t *table) sortedThen(o Order, then map[string]*row) []*row {
	now := t.sorted(o)
	if len(then) == 0 {
		return now
	}
	out := make([]*row, 0, len(now)+len(then))
	for _, r := range now {
		if _, changed := then[r.id]; !changed {
			out = append(out, r)
		}
	}
	compare := o.compare()
	for _, r := range then {
		if r != nil {
			at, _ := slices.BinarySearchFunc(out, r, compare)
			out = slices.Insert(out, at, r)
		}
	}
	return out
}

// render is a row's JSON, without the hidden fields.
func (t *table) render(r *row, hidden []string) []byte {
	if len(hidden) == 0 && r.json != nil {
		return r.json
	}
	var b bytes.Buffer
	b.WriteByte('{')
	shown := without(r.fields, hidden)
	add := func(name string, v any) {
		if slices.Contains(hidden, name) || slices.Contains(t.res.parts, name) || hiddenDocument(name) {
			return
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.Write(encode(name))
		b.WriteByte(':')
		b.Write(encode(v))
	}
	t.addID(add, r.id)
	for _, f := range t.res.fields {
		v := shown[f.name]
		switch {
		case v == nil && f.kind == bagField:
			v = map[string]any{}
		case v == nil && (t.api.traits.Empty == EmptyMissing || f.name == "checksum"):
			continue
		case v == nil && t.api.traits.Empty == EmptyText:
			v = ""
		case f.kind == dateField:
			v = t.api.traits.Days.shown(v)
		}
		add(f.name, v)
	}
	for _, name := range slices.Sorted(maps.Keys(shown)) {
		if _, known := t.res.field(name); !known {
			add(name, shown[name])
		}
	}
	if t.api.created || t.res.dated {
		add("created_at", json.RawMessage(t.api.traits.stamp(r.created)))
	}
	if t.api.updated {
		add("updated_at", json.RawMessage(t.api.traits.stamp(r.updated)))
	}
	b.WriteByte('}')
	if len(hidden) == 0 {
		r.json = b.Bytes()
	}
	return b.Bytes()
}

func (t *table) addID(add func(string, any), id string) {
	if t.api.traits.NumberID {
		add(t.api.traits.IDField, json.Number(id))
		return
	}
	add(t.api.traits.IDField, id)
}
