package simulator

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// listing is what a list request asks for.
type listing struct {
	limit, offset int
	after         *cursor
	since         time.Time // updated_since
	equals        []equality
	from, until   string // window, ISO dates
	order         Order
}

type equality struct {
	field field
	key   string
}

// cursor marks the last row of a page; the next one starts after it.
type cursor struct {
	Order Order  `json:"o"`
	Seq   int64  `json:"s"`
	Stamp int64  `json:"u"`
	Name  string `json:"n"`
	Page  int    `json:"p"`
}

func (s *Sim) list(c *call, t *table, sh *shape) answer {
	q, no := s.listing(c, sh)
	if no != nil {
		return s.refuse(*no)
	}
	p := page{limit: q.limit, offset: q.offset, shape: sh}
	if sh.limit > 0 {
		q.limit = min(q.limit, sh.limit)
	}
	number := q.offset/p.limit + 1
	rows := s.rows(t, q, sh)
	p.total = len(rows)
	beyond := 0 // rows that nobody reaches
	if sh.most > 0 {
		beyond = max(len(rows)-sh.most, 0)
		rows = rows[:len(rows)-beyond]
	}
	if s.api.cursor {
		if q.after != nil {
			number = q.after.Page + 1
			rows = rows[q.after.start(rows):]
		}
	} else if !sh.offsetIgnored {
		rows = rows[min(q.offset, len(rows)):]
	}
	p.more = len(rows) > q.limit || beyond > 0 && len(rows) > 0 && !s.api.cursor
	rows = rows[:min(q.limit, len(rows))]
	if p.more {
		p.next = cursorAfter(rows[len(rows)-1], q.order, number)
	}
	if sh.empty {
		rows, p.total, p.more = nil, 0, false
	}
	p.items = items(t, rows, sh)
	return answer{
		status: http.StatusOK, header: jsonHeader(), body: sh.rename(s.api.page(p)), between: number,
	}
}

// rename gives keys of an envelope other names.
func (sh *shape) rename(body []byte) []byte {
	for _, key := range sh.renamed {
		body = bytes.Replace(body, []byte(`"`+key+`":`), []byte(`"`+key+`_v2":`), 1)
	}
	return body
}

func (s *Sim) listing(c *call, sh *shape) (listing, *problem) {
	q := listing{limit: defaultLimit, order: s.opt.Order}
	bad := func(text string) (listing, *problem) {
		return q, &problem{s.api.invalid, "invalid", text}
	}
	if text := c.query.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return bad("limit must be a positive number")
		}
		q.limit = min(n, maxLimit)
	}
	if s.api.cursor {
		if text := c.query.Get("updated_since"); text != "" && !sh.filterIgnored {
			since, err := time.Parse(time.RFC3339, text)
			if err != nil {
				return bad("updated_since must be a time of RFC 3339")
			}
			q.since, q.order = since, UpdatedAsc
		}
		if text := c.query.Get("after"); text != "" && !sh.offsetIgnored {
			if q.after = readCursor(text); q.after == nil || q.after.Order != q.order {
				return bad("after is not a cursor of this list")
			}
		}
	} else if text := c.query.Get("offset"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return bad("offset must be a number from 0")
		}
		q.offset = n
	}
	if sh.filterIgnored {
		return q, nil
	}
	for _, f := range c.res.fields {
		if (f.filter || f.kind == refField) && c.query.Has(f.name) {
			q.equals = append(q.equals, equality{f, f.key(c.query.Get(f.name))})
		}
	}
	if c.res.window != nil {
		q.from, q.until = c.query.Get("start_date"), c.query.Get("end_date")
		for _, day := range []string{q.from, q.until} {
			if _, err := time.Parse(time.DateOnly, day); day != "" && err != nil {
				return bad("start_date and end_date must be dates of the form YYYY-MM-DD")
			}
		}
	}
	return q, nil
}

// rows are all rows that a list shows, in its order. The slice may be the table's own.
func (s *Sim) rows(t *table, q listing, sh *shape) []*row {
	if sh.lag != nil {
		then := t.rewound(sh.lag.since, s.now().Add(-sh.lag.Delay))
		if len(then) > 0 {
			return q.filtered(t.res, t.sortedThen(q.order, then))
		}
	}
	for _, e := range q.equals {
		if !e.field.indexed() || e.key == "" {
			continue
		}
		var found []*row
		for _, id := range t.keys[e.field.name][e.key] {
			found = append(found, t.rows[id])
		}
		slices.SortFunc(found, q.order.compare())
		return q.filtered(t.res, found)
	}
	return q.filtered(t.res, t.sorted(q.order))
}

func (q listing) filtered(res *resource, rows []*row) []*row {
	if len(q.equals) == 0 && q.from == "" && q.until == "" && q.since.IsZero() {
		return rows
	}
	var out []*row
	for _, r := range rows {
		if q.shows(res, r) {
			out = append(out, r)
		}
	}
	return out
}

func (q listing) shows(res *resource, r *row) bool {
	for _, e := range q.equals {
		if e.field.key(textOf(r.fields, e.field.name)) != e.key {
			return false
		}
	}
	if r.updated.Before(q.since) {
		return false
	}
	if q.from == "" && q.until == "" {
		return true
	}
	from, until := res.window(r.fields)
	return (q.until == "" || from <= q.until) && until >= q.from
}

func items(t *table, rows []*row, sh *shape) [][]byte {
	out := make([][]byte, 0, len(rows))
	for i, r := range rows {
		hidden := sh.hidden
		if sh.idMissing && i == len(rows)/2 {
			hidden = append(slices.Clone(hidden), "id")
		}
		out = append(out, t.render(r, hidden))
	}
	if sh.twice && len(out) > 1 {
		out[len(out)-1] = out[0]
	}
	return out
}

func cursorAfter(r *row, o Order, page int) string {
	b := encode(cursor{Order: o, Seq: r.seq, Stamp: r.stamp, Name: r.name, Page: page})
	return base64.RawURLEncoding.EncodeToString(b)
}

func readCursor(text string) *cursor {
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return nil
	}
	var c cursor
	if json.Unmarshal(b, &c) != nil {
		return nil
	}
	return &c
}

// start is the place of the first row after the cursor.
func (c *cursor) start(rows []*row) int {
	mark := &row{seq: c.Seq, stamp: c.Stamp, name: c.Name}
	at, found := slices.BinarySearchFunc(rows, mark, c.Order.compare())
	if found {
		at++
	}
	return at
}
