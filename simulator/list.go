package simulator

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
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
	made          time.Time // created_after of orders, started_after of calls
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
	api := s.api.traits
	body := c.res.listBody(api)
	q, no := s.listing(c, sh, body)
	if no != nil {
		return s.refuse(*no)
	}
	p := page{limit: q.limit, offset: q.offset, shape: sh}
	if sh.limit > 0 {
		q.limit = min(q.limit, sh.limit)
	}
	number := q.offset/p.limit + 1
	rows := s.rows(t, q, sh)
	all := rows
	if sh.shuffled {
		rows = slices.Clone(rows)
		s.rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	}
	p.total = len(rows)
	beyond := 0 // rows that nobody reaches
	if sh.most > 0 {
		beyond = max(len(rows)-sh.most, 0)
		rows = rows[:len(rows)-beyond]
	}
	whole := api.Paging == ByNothing || body.grouped()
	switch {
	case api.linked():
		if q.after != nil {
			number = q.after.Page + 1
			rows = rows[q.start(rows, number, sh):]
		}
	case !whole && !sh.offsetIgnored:
		rows = rows[min(q.offset, len(rows)):]
	}
	if whole {
		q.limit = max(len(rows), 1)
	}
	p.more = len(rows) > q.limit || beyond > 0 && len(rows) > 0 && !api.linked()
	rows = rows[:min(q.limit, len(rows))]
	if sh.endless && !whole && len(q.equals) == 0 && len(all) > 0 {
		first := q.offset
		if api.linked() {
			first = (number - 1) * q.limit
		}
		rows = t.goOn(all, rows, first, q.limit)
		p.more, p.total = true, max(p.total, first+len(rows)+1)
	}
	if p.more || api.Next == NextOverrun && len(rows) > 0 {
		p.next = cursorAfter(rows[len(rows)-1], q.order, number)
	}
	if sh.empty {
		rows, p.total, p.more = nil, 0, false
	}
	if body.grouped() {
		rows = s.byDay(c, rows)
		for _, r := range rows {
			p.days = append(p.days, textOf(r.fields, dayOfStay))
		}
	}
	p.items = items(t, rows, sh)
	return s.answerList(c, p, body, number)
}

// answerList is the answer with one page of a list.
func (s *Sim) answerList(c *call, p page, body ListBody, number int) answer {
	api := s.api.traits
	if len(p.items) == 0 && api.Beyond != http.StatusOK && (number > 1 || api.Beyond == http.StatusNoContent) {
		ans := s.refuse(problem{api.Beyond, "no_such_page", "there is no such page"})
		if api.Beyond == http.StatusNoContent {
			ans = answer{status: api.Beyond, header: map[string]string{}}
		}
		ans.between = number
		return ans
	}
	ans := answer{status: http.StatusOK, header: jsonHeader(), between: number}
	if body == BodyLines {
		ans.header["Content-Type"] = "application/x-ndjson"
	}
	if api.Total == TotalHeader && !p.shape.totalMissing {
		ans.header["X-Total-Count"] = strconv.Itoa(p.total)
	}
	switch {
	case api.Paging == ByLinkHeader:
		ans.header["Link"] = "<" + c.link("", "") + `>; rel="first"`
		if p.next != "" {
			ans.header["Link"] += ", <" + c.link(api.PlaceParam, p.next) + `>; rel="next"`
		} else if api.Next == NextMissing {
			delete(ans.header, "Link")
		}
	case api.Paging == ByNextLink && p.next != "":
		p.next = c.link(api.PlaceParam, p.next)
	}
	ans.body = p.shape.rename(s.api.body(c.res, p))
	return ans
}

// link is the address of the request with a parameter set, or without a place.
func (c *call) link(param, v string) string {
	q := maps.Clone(c.query)
	q.Del(keyParam)
	if param != "" {
		q.Set(param, v)
	}
	return c.host + c.path + "?" + q.Encode()
}

const dayOfStay = "starting_date"

// byDay is the stays in order of the day on which they begin, of each day no more
// than are asked for.
func (s *Sim) byDay(c *call, rows []*row) []*row {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b *row) int {
		return cmp.Compare(textOf(a.fields, dayOfStay), textOf(b.fields, dayOfStay))
	})
	param := s.api.traits.PerDay
	if param == "" {
		return rows
	}
	most, err := strconv.Atoi(c.query.Get(param))
	if err != nil || most < 1 {
		most = s.api.traits.DefaultLimit
	}
	most = min(most, s.api.traits.MaxLimit)
	day, n := "", 0
	return slices.DeleteFunc(rows, func(r *row) bool {
		if d := textOf(r.fields, dayOfStay); d != day {
			day, n = d, 0
		}
		n++
		return n > most
	})
}

// rename gives keys of an envelope other names.
func (sh *shape) rename(body []byte) []byte {
	for _, key := range sh.renamed {
		body = bytes.Replace(body, []byte(`"`+key+`":`), []byte(`"`+key+`_v2":`), 1)
	}
	return body
}

func (s *Sim) listing(c *call, sh *shape, body ListBody) (listing, *problem) {
	api := s.api.traits
	q := listing{limit: api.DefaultLimit, order: s.opt.Order}
	bad := func(text string) *problem { return &problem{api.Invalid, "invalid", text} }
	if text := c.query.Get(api.LimitParam); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return q, bad(api.LimitParam + " must be a positive number")
		}
		if n > api.MaxLimit && api.RefuseLimit {
			return q, bad(fmt.Sprintf("%s must be at most %d", api.LimitParam, api.MaxLimit))
		}
		q.limit = min(n, api.MaxLimit)
	}
	if text := c.query.Get(api.Since); api.Since != "" && text != "" && !sh.filterIgnored {
		since, err := api.moment(text)
		if err != nil {
			return q, bad(api.Since + " is not a time as this API writes it")
		}
		q.since, q.order = since, UpdatedAsc
	}
	if no := q.place(c, api, body, sh); no != "" {
		return q, bad(no)
	}
	if sh.filterIgnored {
		return q, nil
	}
	if no := q.filters(c, api); no != "" {
		return q, bad(no)
	}
	return q, nil
}

// place reads where a list goes on, or says what is wrong with it.
func (q *listing) place(c *call, api Traits, body ListBody, sh *shape) (no string) {
	text := c.query.Get(api.PlaceParam)
	if text == "" || api.Paging == ByNothing || body.grouped() {
		return ""
	}
	if api.linked() {
		if sh.offsetIgnored {
			return ""
		}
		if q.after = readCursor(text); q.after == nil || q.after.Order != q.order {
			return api.PlaceParam + " is not a cursor of this list"
		}
		return ""
	}
	n, err := strconv.Atoi(text)
	least := 0
	if api.Paging == ByPage {
		least = api.FirstPage
	}
	if err != nil || n < least {
		return fmt.Sprintf("%s must be a number from %d", api.PlaceParam, least)
	}
	q.offset = n
	if api.Paging == ByPage {
		q.offset = (n - least) * q.limit
	}
	return ""
}

// filters reads what a list is limited to, or says what is wrong with it.
func (q *listing) filters(c *call, api Traits) (no string) {
	for _, f := range c.res.fields {
		if (f.filter && api.Find == FindFilter || f.kind == refField) && c.query.Has(f.name) {
			text := c.query.Get(f.name)
			if f.kind == dateField {
				if day, ok := api.Days.read(text); ok {
					text = day
				}
			}
			q.equals = append(q.equals, equality{f, f.key(text)})
		}
	}
	if text := c.query.Get(c.res.after); c.res.after != "" && text != "" {
		at, err := time.Parse(time.DateOnly, text)
		if err != nil {
			at, err = time.Parse(time.RFC3339, text)
		}
		if err != nil {
			return c.res.after + " must be a date or a time"
		}
		q.made = at
	}
	if c.res.window == nil {
		return ""
	}
	q.from, q.until = c.query.Get(api.WindowFrom), c.query.Get(api.WindowTo)
	for _, day := range []string{q.from, q.until} {
		if _, err := time.Parse(time.DateOnly, day); day != "" && err != nil {
			return api.WindowFrom + " and " + api.WindowTo + " must be dates of the form YYYY-MM-DD"
		}
	}
	return ""
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
	if len(q.equals) == 0 && q.from == "" && q.until == "" && q.since.IsZero() && q.made.IsZero() {
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
	if r.updated.Before(q.since) || !q.made.IsZero() && !res.madeAt(r).After(q.made) {
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
			hidden = append(slices.Clone(hidden), t.api.traits.IDField)
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

// start is where the page of that number begins, of a list that goes on by a cursor.
func (q listing) start(rows []*row, number int, sh *shape) int {
	if sh.shuffled {
		return min((number-1)*q.limit, len(rows))
	}
	return q.after.start(rows)
}

// goOn fills a page that begins at first with rows that nobody ever wrote: each is like one
// of all, under an id of its own. By its place in the order it is the last of all, so that a
// cursor behind it finds the end again.
func (t *table) goOn(all, page []*row, first, limit int) []*row {
	page = slices.Clone(page)
	for n := first + len(page); len(page) < limit; n++ {
		r := *all[len(all)-1]
		r.json, r.fields = nil, maps.Clone(all[n%len(all)].fields)
		r.id = fmt.Sprintf("endless-%d", n)
		if t.api.traits.NumberID {
			r.id = strconv.Itoa(1_000_000_000 + n)
		}
		for _, f := range t.res.fields {
			switch f.kind { //nolint:exhaustive // the others may be the same in many records
			case refField, referenceField:
				delete(r.fields, f.name)
			case phoneField:
				r.fields[f.name] = fmt.Sprintf("+9990%09d", n)
			}
		}
		page = append(page, &r)
	}
	return page
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

// madeAt is the time that a list by time is limited by.
func (r *resource) madeAt(row *row) time.Time {
	if r.began == "" {
		return row.created
	}
	at, err := time.Parse(time.RFC3339, textOf(row.fields, r.began))
	if err != nil {
		return row.created
	}
	return at
}
