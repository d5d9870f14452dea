package rest

import (
	"slices"
	"time"

	"nightporter/connectors/jsonx"
)

func (c *checker) list(k *kind, ok jsonx.Path) {
	l := &k.List
	if l.Items == "" {
		c.wrong(`list.items is missing: the path of the list, "." for a bare one`)
	}
	items := c.path("list.items", l.Items, ".")
	l.Body = first(l.Body, bodyJSON)
	c.oneOf("list.body", l.Body, bodyJSON, bodyLines)
	if l.Body == bodyLines && len(items) > 0 {
		c.wrong(`list.items is %q; of lines it is ".": each is a record`, l.Items)
	}
	if l.LimitEach && (l.LimitParam == "" || !slices.Contains(items, jsonx.Any)) {
		c.wrong("list.limit_each needs limit_param, and items with a * in it")
	}
	c.oneOf("list.paging", l.Paging, byOffset, byPage, byCursor, byNextLink, byLinkHeader, byNone)
	c.statuses("list.empty_status", l.EmptyStatus)
	if slices.ContainsFunc(l.EmptyStatus, vague) {
		c.wrong("list.empty_status holds 403 or 5xx: a list that is refused is not an empty one")
	}
	if l.OffsetParam == "" {
		l.OffsetParam = "offset"
	}
	if l.PageParam == "" {
		l.PageParam = "page"
	}
	if l.FirstPage != 0 && l.FirstPage != 1 {
		c.wrong("list.first_page is %d; pages begin with 0 or with 1", l.FirstPage)
	}
	if l.Paging == byCursor && (l.CursorParam == "" || l.Next == "") {
		c.wrong("list.paging cursor needs cursor_param and next")
	}
	if l.Paging == byNextLink && l.Next == "" {
		c.wrong("list.paging next_link needs next, the path of the link")
	}
	if l.Window.From == "" && l.Window.To != "" {
		c.wrong("list.window needs from, the first day; to may be left out")
	}
	if l.Window.To == "" && l.Window.MaxDays > 0 {
		c.wrong("list.window.max_days means nothing without to")
	}
	if l.Window.From != "" && len(k.WindowFields) != 2 {
		c.wrong("window_fields is missing: the paths of a record's first and last day")
	}
	for _, w := range k.WindowFields {
		k.window = append(k.window, c.path("window_fields", w, ""))
	}
	if l.Order != "" && l.Order != "immutable" {
		c.wrong("list.order is %q; it is immutable, or left out", l.Order)
	}
	c.sinces(k)
	k.split = jsonx.NewSplitter(items, k.id, c.envelope(l, ok)...)
}

func (c *checker) sinces(k *kind) {
	s := &k.List.Since
	if s.Window && (s.Param == "" || k.List.Window.From == "") {
		c.wrong("list.since.window needs since.param and window.from: it is for a list of changes that is refused without days")
	}
	if s.Param == "" {
		return
	}
	k.since = c.clock("list.since.format", s.Format, k.Changed.Zone)
	s.From = first(s.From, "seen")
	if s.Overlap <= 0 {
		s.Overlap = time.Minute // a change may have been on its way while the list was read
	}
	c.oneOf("list.since.from", s.From, "seen", "server_date")
	if s.From == "seen" && k.changed == nil {
		c.wrong("list.since needs changed.path, or from: server_date")
	}
}

// nowhere is a path that no envelope has.
var nowhere = jsonx.Path{"\x00"}

// The places of the envelope's values.
const (
	atTotal = iota
	atHasMore
	atNext
	atOK
)

func (c *checker) envelope(l *List, ok jsonx.Path) []jsonx.Path {
	values := []jsonx.Path{
		atTotal: c.path("list.total", l.Total, ""), atHasMore: c.path("list.has_more", l.HasMore, ""),
		atNext: c.path("list.next", l.Next, ""), atOK: ok,
	}
	for i, p := range values {
		if p == nil {
			values[i] = nowhere
		}
	}
	return values
}
