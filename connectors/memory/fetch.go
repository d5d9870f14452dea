package memory

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"nightporter/connectors"
	"nightporter/sync/record"
)

var errClosed = errors.New("the connection is closed")

// cursor is a place in a list.
type cursor struct {
	Page  int       `json:"p"`           // pages read before
	Begun time.Time `json:"b"`           // when the scan began
	Since time.Time `json:"s,omitzero"`  // where an incremental scan starts
	Skip  int       `json:"n,omitempty"` // rows before the page
	Last  *key      `json:"l,omitempty"` // the last row before the page
}

// key is what a row is sorted by.
type key struct {
	ID      string       `json:"i"`
	Changed time.Time    `json:"c,omitzero"`
	Field   record.Value `json:"f,omitzero"`
}

func (c cursor) encode() record.Cursor {
	b, err := json.Marshal(c)
	if err != nil { // it holds nothing that can't be encoded
		return ""
	}
	return record.Cursor(b)
}

// listed is a row as a list holds it.
type listed struct {
	key key
	row *row
	im  image
}

func (o Order) compare(a, b key) int {
	switch o {
	case Changed:
		return cmp.Or(a.Changed.Compare(b.Changed), cmp.Compare(a.ID, b.ID))
	case ChangedDesc:
		return cmp.Or(b.Changed.Compare(a.Changed), cmp.Compare(b.ID, a.ID))
	case ByField:
		return cmp.Or(record.Compare(a.Field, b.Field), cmp.Compare(a.ID, b.ID))
	case IDDesc:
		return cmp.Compare(b.ID, a.ID)
	case ID:
	}
	return cmp.Compare(a.ID, b.ID)
}

// Fetch reads a page.
func (c *conn) Fetch(ctx context.Context, q connectors.Query, after record.Cursor) (connectors.Page, error) {
	op := "fetch " + string(q.Kind)
	ref := record.Ref{Kind: q.Kind}
	if err := c.begin(ctx, op, ref); err != nil {
		return connectors.Page{}, err
	}
	var at cursor
	if after != "" {
		if err := json.Unmarshal([]byte(after), &at); err != nil {
			return connectors.Page{}, connectors.Wrong(connectors.Malformed, op, "read cursor: %w", err)
		}
		const most = 1 << 40 // no list is longer
		if at.Page < 0 || at.Page > most || at.Skip < 0 || at.Skip > most {
			return connectors.Page{}, connectors.Wrong(connectors.Malformed, op, "read cursor: it stands outside of every list")
		}
	}
	c.s.page(q.Kind, at.Page+1)
	p, err := c.s.fetch(op, q, at)
	c.s.step("after " + op)
	return p, err
}

func (s *System) fetch(op string, q connectors.Query, from cursor) (connectors.Page, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ref := record.Ref{Kind: q.Kind}
	t, k, err := s.table(q.Kind)
	if err == nil && q.Mode == connectors.Since && !k.Since {
		err = connectors.Wrong(connectors.Unsupported, "", "%s shows no time of change", q.Kind)
	}
	if err == nil && q.Mode == connectors.Since && k.sinceWindowed() && q.Scope == (connectors.Scope{}) {
		err = connectors.Wrong(connectors.Unsupported, "", "%s that changed are listed by days alone", q.Kind)
	}
	if err != nil {
		return connectors.Page{}, at(err, op, ref)
	}
	s.counts.Fetches++
	f := s.fault(CallFetch, q.Kind, 0, "")
	if f.Class != "" {
		return connectors.Page{}, f.err(op, ref)
	}
	if from.Begun.IsZero() {
		from.Begun = s.o.Now()
	}
	if f.Empty {
		return connectors.Page{Total: k.total(0), End: true, View: "list", Read: reader(q), Since: k.since(from)}, nil
	}
	rows := t.list(k, q, from, s.o.Now(), f.FilterIgnored)
	total := len(rows)
	rows, from = k.cut(q, rows, from, f.OffsetIgnored)
	p := connectors.Page{Total: k.total(total), View: "list", Read: reader(q)}
	show := rows[:min(len(rows), k.rows())]
	for _, r := range show[:max(0, len(show)-f.Drop)] {
		if k.garbled(r.im) {
			p.Items = append(p.Items, connectors.Item{ID: r.row.id, Raw: []byte(garbage)})
			continue
		}
		if r.im.gone {
			p.Items = append(p.Items, connectors.Item{ID: r.row.id, Raw: []byte(removed)})
			continue
		}
		item, err := encode(k.shown(q.Kind, r.row, r.im, q.Fields, append(slices.Clone(k.ListHides), f.LeaveOut...)))
		if err != nil {
			return connectors.Page{}, connectors.Wrong(connectors.Malformed, op, "%w", err)
		}
		p.Items = append(p.Items, item)
	}
	if p.End = len(rows) <= k.rows() && (!k.EndByEmpty || len(rows) == 0); p.End {
		p.Since = k.since(from)
		return p, nil
	}
	next := from
	next.Page++
	next.Skip += len(show)
	if len(show) > 0 && k.keyset(q) {
		next.Last = &show[len(show)-1].key
	}
	p.Next = next.encode()
	if k.Total && !k.keyset(q) {
		for skip := next.Skip + len(show); skip < total && len(p.Ahead) < k.Ahead; skip += len(show) {
			next.Page++
			next.Skip = skip
			p.Ahead = append(p.Ahead, next.encode())
		}
	}
	return p, nil
}

// keyset tells whether a list goes on behind a row: incremental ones always do.
func (k Kind) keyset(q connectors.Query) bool {
	return k.Paging == Keyset || q.Mode == connectors.Since
}

func (k Kind) order(q connectors.Query) Order {
	if q.Mode == connectors.Since {
		return Changed
	}
	return k.Order
}

// list is the rows in scope, sorted.
func (t *table) list(k Kind, q connectors.Query, from cursor, now time.Time, all bool) []listed {
	var rows []listed
	scope := k.reached(q.Scope)
	for _, r := range t.rows {
		im, ok := r.at(now, k.ListLag)
		gone := !ok && im.gone && k.ShowsGone
		if !gone && (!ok || !k.inside(im.fields, scope) && !all) {
			continue
		}
		if ok && k.Unlisted != nil && k.Unlisted(im.fields) {
			continue
		}
		if q.Mode == connectors.Since && im.at.Before(from.Since) && !all {
			continue
		}
		rows = append(rows, listed{key{r.id, im.at, im.fields[k.OrderField]}, r, im})
	}
	order := k.order(q)
	slices.SortFunc(rows, func(a, b listed) int { return order.compare(a.key, b.key) })
	return rows
}

// reached is the days of a list that it shows.
func (k Kind) reached(asked connectors.Scope) connectors.Scope {
	first, err := time.Parse(time.DateOnly, asked.From)
	if last := first.AddDate(0, 0, k.Reach).Format(time.DateOnly); k.Reach > 0 && err == nil && last < asked.To {
		asked.To = last
	}
	return asked
}

// sorted is all rows by id.
func (t *table) sorted() []*row {
	rows := make([]*row, 0, len(t.rows))
	for _, r := range t.rows {
		rows = append(rows, r)
	}
	slices.SortFunc(rows, func(a, b *row) int { return cmp.Compare(a.id, b.id) })
	return rows
}

// cut leaves what follows the cursor.
func (k Kind) cut(q connectors.Query, rows []listed, from cursor, start bool) ([]listed, cursor) {
	switch {
	case start:
		return rows, from
	case !k.keyset(q):
		return rows[min(from.Skip, len(rows)):], from
	case from.Last == nil:
		return rows, from
	}
	order := k.order(q)
	i := slices.IndexFunc(rows, func(r listed) bool { return order.compare(r.key, *from.Last) > 0 })
	if i < 0 {
		i = len(rows)
	}
	return rows[i:], from
}

func (k Kind) total(n int) int {
	if k.Total {
		return n
	}
	return -1
}

// since is where the next incremental scan starts: what was written while this
// one ran may have been missed, and what a lag hid as well.
func (k Kind) since(from cursor) record.Cursor {
	if !k.Since {
		return ""
	}
	return cursor{Since: from.Begun.Add(-k.overlap())}.encode()
}

// wire is a record as a list shows it.
type wire struct {
	ID      string         `json:"id"`
	Version record.Version `json:"version,omitempty"`
	Fields  record.Fields  `json:"fields"`
	Changed time.Time      `json:"changed,omitzero"`
	Created time.Time      `json:"created,omitzero"`
	Stamp   string         `json:"stamp,omitempty"`

	Unfinished *record.Unfinished `json:"unfinished,omitempty"`
}

// garbage is what a list shows of a row that nobody can make anything of.
const garbage = `{"fields":`

// removed is what a list shows of a row that was removed.
const removed = `{"removed":true}`

// garbled reports whether nobody can make anything of a row.
func (k Kind) garbled(im image) bool { return k.Unreadable != nil && k.Unreadable(im.fields) }

func unreadable() *connectors.Error {
	return connectors.Wrong(connectors.Malformed, "", "the answer ends in the middle of a record")
}

func encode(r record.Record) (connectors.Item, error) {
	b, err := json.Marshal(wire{r.Ref.ID, r.Version, r.Fields, r.Changed, r.Created, r.Stamp, r.Unfinished})
	return connectors.Item{ID: r.Ref.ID, Raw: b}, err
}

// reader decodes the items of a page.
func reader(q connectors.Query) func(connectors.Item) (record.Record, error) {
	return func(item connectors.Item) (record.Record, error) {
		if string(item.Raw) == removed {
			err := at(notThere(), "fetch "+string(q.Kind), record.Ref{Kind: q.Kind, ID: item.ID})
			return record.Record{}, err
		}
		var w wire
		if err := json.Unmarshal(item.Raw, &w); err != nil {
			return record.Record{}, connectors.Wrong(connectors.Malformed, "fetch "+string(q.Kind), "%w", err)
		}
		return record.Record{
			Ref: record.Ref{Kind: q.Kind, ID: w.ID}, Version: w.Version, Fields: w.Fields,
			Changed: w.Changed, Created: w.Created, Stamp: w.Stamp, Unfinished: w.Unfinished,
		}, nil
	}
}
