package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/internal/restkit"
	"nightporter/connectors/jsonx"
	"nightporter/sync/record"
)

// listing is the reading of one page.
type listing struct {
	c     *Conn
	k     *kind
	q     connectors.Query
	at    position
	parts []connectors.Scope
	r     restkit.Request
	a     *restkit.Answer
	list  jsonx.List
}

// Fetch reads one page. What the server really returned counts, not what was
// asked for: the next page begins behind the last row, and only an explicit end or
// an empty page ends a list. One that ends otherwise, or against what it said before,
// has a flaw.
func (c *Conn) Fetch(ctx context.Context, q connectors.Query, after record.Cursor) (connectors.Page, error) {
	op := "fetch " + string(q.Kind)
	k, err := c.kind(q.Kind, op)
	if err != nil {
		return connectors.Page{}, err
	}
	return c.fetch(ctx, k, op, q, after)
}

func (c *Conn) fetch(ctx context.Context, k *kind, op string, q connectors.Query, after record.Cursor) (connectors.Page, error) {
	l := &listing{c: c, k: k, q: q}
	err := l.prepare(op, after)
	if err != nil {
		return connectors.Page{}, err
	}
	if l.a, err = c.client.Do(ctx, l.r); err != nil {
		return connectors.Page{}, l.refused(err)
	}
	if err := l.split(); err != nil {
		return connectors.Page{}, err
	}
	return l.page(ctx)
}

// refused names the key to set where a list of what changed is refused that was asked for
// without days: some APIs list nothing without them.
func (l *listing) refused(err error) error {
	dayless := l.q.Mode == connectors.Since && l.k.List.Window.From != "" && l.q.Scope == (connectors.Scope{})
	if e, ok := errors.AsType[*connectors.Error](err); ok && dayless && e.Class == connectors.Malformed && e.Status >= 400 {
		e.Hint += "; if it lists no changes without days, set list.since.window in the preset"
	}
	return err
}

func (l *listing) prepare(op string, after record.Cursor) error {
	if l.q.Mode == connectors.Since && l.k.List.Since.Param == "" {
		return connectors.Wrong(connectors.Unsupported, op, "the preset names no filter by time of change")
	}
	var err error
	if l.at, err = readPosition(after); err != nil {
		return connectors.Wrong(connectors.Malformed, op, "%w", err)
	}
	maxDays := l.k.List.Window.MaxDays
	if l.k.List.Window.From == "" {
		maxDays = 0
	}
	if l.parts, err = days(l.q.Scope, maxDays); err != nil {
		return connectors.Wrong(connectors.Unsupported, op, "%w", err)
	}
	if l.at.Slice >= len(l.parts) {
		return connectors.Wrong(connectors.Malformed, op, "the cursor belongs to another window")
	}
	q, err := l.params()
	if err != nil {
		return connectors.Wrong(connectors.Malformed, op, "%w", err)
	}
	l.r = restkit.Request{
		Op: op, Goal: restkit.ReadList, Method: http.MethodGet, Empty: l.k.List.EmptyStatus,
		URL: l.c.client.URL(l.k.Path, q),
	}
	l.k.asksLines(&l.r)
	if l.at.Link != "" {
		if l.r.URL, err = l.c.client.Follow(l.c.client.URL(l.k.Path, nil), l.at.Link); err != nil {
			return connectors.Wrong(connectors.Malformed, op, "%w", err)
		}
	}
	return nil
}

func (l *listing) params() (url.Values, error) {
	s, q := l.k.List, url.Values{}
	for name, v := range s.Params {
		q.Set(name, v)
	}
	if s.LimitParam != "" {
		q.Set(s.LimitParam, strconv.Itoa(l.c.limit(l.k)))
	}
	switch s.Paging {
	case byOffset:
		q.Set(s.OffsetParam, strconv.Itoa(l.at.Offset))
	case byPage:
		q.Set(s.PageParam, strconv.Itoa(s.FirstPage+l.at.Page))
	case byCursor:
		if l.at.Token != "" {
			q.Set(s.CursorParam, l.at.Token)
		}
	}
	l.window(q)
	if l.q.Mode == connectors.Since && l.at.Since != "" {
		t, err := time.Parse(time.RFC3339Nano, l.at.Since)
		if err != nil {
			return nil, fmt.Errorf("the cursor's time can't be read: %w", err)
		}
		text, _ := l.k.since.text(t.Add(-s.Since.Overlap))
		q.Set(s.Since.Param, text)
	}
	return q, nil
}

func (l *listing) window(q url.Values) {
	w, part := l.k.List.Window, l.parts[l.at.Slice]
	if w.From == "" {
		return
	}
	if part.From != "" {
		q.Set(w.From, part.From)
	}
	if part.To != "" && w.To != "" {
		q.Set(w.To, part.To)
	}
}

// split finds the rows of the answer.
func (l *listing) split() error {
	if l.a.Empty {
		l.list.Values = make([][]byte, atOK+1)
		return nil
	}
	list, err := l.k.splitBody(l.k.split, l.a.Body)
	if err := l.c.splitError(l.r, l.a, list, err, l.k.List.NullIsEmpty); err != nil {
		return err
	}
	l.list = list
	nameless := 0
	for _, row := range list.Items {
		if row.ID == "" {
			nameless++
		}
	}
	if nameless > 1 && nameless == len(list.Items) {
		return l.malformed("look at id in the preset", "none of %d rows shows an id at %q", nameless, l.k.id)
	}
	return nil
}

// asksLines has a request for a list take lines, where the list has them.
func (k *kind) asksLines(r *restkit.Request) {
	if k.List.Body == bodyLines {
		r.Lines, r.Header = true, http.Header{"Accept": {restkit.LinesType + ", application/json"}}
	}
}

// splitBody finds the rows of a list's body.
func (k *kind) splitBody(s *jsonx.Splitter, body []byte) (jsonx.List, error) {
	if k.List.Body == bodyLines {
		return s.Lines(body)
	}
	return s.Split(body)
}

// splitError is what is wrong with a list's body.
func (c *Conn) splitError(r restkit.Request, a *restkit.Answer, list jsonx.List, err error, nullIsEmpty bool) error {
	if syntax, ok := errors.AsType[*jsonx.SyntaxError](err); ok {
		return c.client.Malformed(r, a, "is base_url the API, and does nothing on the way change its answers?", "%w", syntax)
	}
	if len(list.Values) > atOK && list.Values[atOK] != nil {
		v, bad := jsonx.Decode(list.Values[atOK])
		if bad != nil {
			v = nil
		}
		if err := c.flagged(r, a, c.api.ok.says(v)); err != nil {
			return err
		}
	}
	if err != nil {
		return c.client.Malformed(r, a, "look at list.items in the preset", "%w", err)
	}
	if list.Null && !nullIsEmpty {
		return c.client.Malformed(r, a, "if this means an empty list, set null_is_empty in the preset", "there is null in place of the list")
	}
	return nil
}

func (l *listing) malformed(hint, format string, args ...any) error {
	return l.c.client.Malformed(l.r, l.a, hint, format, args...)
}

func (l *listing) page(ctx context.Context) (connectors.Page, error) {
	rows := l.list.Items
	if err := l.repeats(ctx, rows); err != nil {
		return connectors.Page{}, err
	}
	l.times(rows)
	page := connectors.Page{Total: l.total(), View: "list", Read: l.k.reader(l.q.Fields), Paging: l.k.List.goesOnBy()}
	next, end, err := l.next(rows)
	if err != nil {
		return connectors.Page{}, err
	}
	switch {
	case !end:
		if l.sideBySide(page.Total) && next.Page > 1 && next.Offset < page.Total {
			next.Last, next.More = "", false // a page ahead can't know them; the first two pages are compared all the same, and those behind the total
		}
		page.Next, page.Ahead = next.cursor(), l.ahead(next, page.Total)
	case l.at.Slice+1 < len(l.parts):
		page.Next = l.at.slice().cursor()
	default:
		page.End, page.Since = true, l.since()
	}
	page.Items = l.items(rows)
	if end {
		page.Flaw = l.flaw(page.Total)
	}
	if end && page.Flaw == "" && l.doubtsEnd(page.Total) {
		if page.Flaw, err = l.silence(ctx); err != nil {
			return connectors.Page{}, err
		}
	}
	if len(l.parts) > 1 {
		page.Total = -1 // of one slice
	}
	return page, nil
}

// items leaves out what an earlier slice of the window has shown already: a stay
// over the border of two slices is in both.
func (l *listing) items(rows []jsonx.Item) []connectors.Item {
	items := make([]connectors.Item, 0, len(rows))
	border := ""
	if l.at.Slice > 0 {
		border = l.parts[l.at.Slice].From
	}
	for _, row := range rows {
		if border != "" {
			if day, ok := l.k.day(row.Raw, 0); ok && day < border {
				continue
			}
		}
		items = append(items, connectors.Item{ID: row.ID, Raw: row.Raw})
	}
	return items
}

// civil is the day that a text begins with.
func civil(s string) (string, bool) {
	if len(s) < len(time.DateOnly) {
		return "", false
	}
	s = s[:len(time.DateOnly)]
	_, err := time.Parse(time.DateOnly, s)
	return s, err == nil
}

// repeats refuses a page that is the one before it, where that shows that the parameter
// for the next page does nothing.
func (l *listing) repeats(ctx context.Context, rows []jsonx.Item) error {
	if len(rows) == 0 || l.at.Last != mark(rows) {
		return nil
	}
	if moved, err := l.moved(ctx, rows); moved || err != nil {
		return err
	}
	s := l.k.List
	param := map[string]string{byOffset: s.OffsetParam, byPage: s.PageParam, byCursor: s.CursorParam}[s.Paging]
	if param == "" {
		return l.malformed("look at list.paging in the preset", "the link to the next page leads to the same page again")
	}
	return l.malformed("look at list.paging in the preset: is the parameter called so? if the API gives everything at once, it is none",
		"the server ignores %s: two pages are the same", strings.ToUpper(param))
}

// moved reports whether a page that is the one before it is so because the rows moved: as
// many as it has were entered at the head of the list meanwhile, or the list is at its
// end. Then the first page shows none of its rows. A system that goes by no parameter
// shows the same page there.
func (l *listing) moved(ctx context.Context, rows []jsonx.Item) (bool, error) {
	first := &listing{c: l.c, k: l.k, q: l.q}
	begin := position{Slice: l.at.Slice, Since: l.at.Since}
	if err := first.prepare(l.r.Op, begin.cursor()); err != nil {
		return false, err
	}
	var err error
	if first.a, err = l.c.client.Do(ctx, first.r); err != nil {
		return false, err
	}
	if err := first.split(); err != nil {
		return false, err
	}
	shown := map[string]bool{}
	for _, row := range first.list.Items {
		shown[row.ID] = true
	}
	return !slices.ContainsFunc(rows, func(row jsonx.Item) bool { return shown[row.ID] }), nil
}

// total is how many records the server says there are.
func (l *listing) total() int {
	text := jsonx.Text(l.list.Values[atTotal])
	if text == "" && l.k.List.TotalHeader != "" {
		text = l.a.Header.Get(l.k.List.TotalHeader)
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return -1
	}
	return n
}

// sideBySide reports whether pages may be asked for without the ones before them:
// their places can be counted, and they take nothing over from one another.
func (l *listing) sideBySide(total int) bool {
	s := l.k.List
	return l.c.concurrency > 1 && total > 0 && len(l.list.Items) > 0 && len(l.parts) == 1 &&
		(s.Paging == byOffset || s.Paging == byPage) && (s.Since.Param == "" || s.Since.From != "seen")
}

// ahead is the pages behind the next one that can be asked for without it.
func (l *listing) ahead(next position, total int) []record.Cursor {
	if !l.sideBySide(total) {
		return nil
	}
	rows := len(l.list.Items)
	var cursors []record.Cursor
	next.Last, next.More = "", false
	for p := next; p.Offset+rows < total && len(cursors) < l.c.concurrency-1; {
		p.Offset += rows
		p.Page++
		cursors = append(cursors, p.cursor())
	}
	return cursors
}

// times notes what the next incremental reading starts from.
func (l *listing) times(rows []jsonx.Item) {
	s := l.k.List.Since
	if s.Param == "" {
		return
	}
	if date, err := http.ParseTime(l.a.Header.Get("Date")); err == nil && l.at.Begun == "" {
		l.at.Begun = date.UTC().Format(time.RFC3339Nano)
	}
	if s.From != "seen" {
		return
	}
	latest := stored(l.at.Seen)
	for _, row := range rows {
		if t, err := l.k.changedAt.parse(jsonx.Text(jsonx.Find(row.Raw, l.k.changed))); err == nil && t.After(latest) {
			latest = t
		}
	}
	if !latest.IsZero() {
		l.at.Seen = latest.UTC().Format(time.RFC3339Nano)
	}
}

// since is the cursor of the next incremental reading: never later than the
// beginning of this one, since what changed on pages read already was not seen.
func (l *listing) since() record.Cursor {
	s := l.k.List.Since
	if s.Param == "" {
		return ""
	}
	from, begun, last := stored(l.at.Seen), stored(l.at.Begun), stored(l.at.Since)
	if s.From == "server_date" || !begun.IsZero() && from.After(begun) {
		from = begun
	}
	if last.After(from) {
		from = last
	}
	if from.IsZero() {
		return ""
	}
	return position{Since: from.UTC().Format(time.RFC3339Nano)}.cursor()
}

// stored is a time that a cursor holds, zero where it holds none.
func stored(s string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return time.Time{}
	}
	return t
}
