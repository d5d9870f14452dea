package rest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"nightporter/connectors/jsonx"
)

// next is where the slice goes on, or that it has ended.
func (l *listing) next(rows []jsonx.Item) (position, bool, error) {
	at, s := l.at, l.k.List
	more := string(l.list.Values[atHasMore])
	at.Offset, at.Page, at.Last = at.Offset+len(rows), at.Page+1, mark(rows)
	at.Told = at.Told || l.total() >= 0
	switch s.Paging {
	case byNone:
		if more == "true" {
			return at, false, l.malformed("look at list.paging in the preset", "more follows, and the preset names no paging")
		}
		return at, true, nil
	case byOffset, byPage:
		if more == "true" && len(rows) == 0 {
			return at, false, l.malformed("ask the system's people", "an empty page says that more follows")
		}
		at.More = more == "true"
		return at, more == "false" || len(rows) == 0, nil
	case byCursor, byNextLink:
		raw := string(l.list.Values[atNext])
		name := jsonx.Text(l.list.Values[atNext])
		if name == "" && !slices.Contains([]string{"", "null", "false", `""`}, raw) {
			return at, false, l.malformed("look at list.next in the preset", "what should name the next page is no text")
		}
		if s.Paging == byCursor {
			at.Token = name
			return l.linked(at, at.Token, l.at.Token, more)
		}
		at.Link = name
	case byLinkHeader:
		at.Link = nextLink(l.a.Header.Values("Link"))
	}
	if at.Link != "" {
		link, err := l.c.client.Follow(l.r.URL, at.Link)
		if err != nil {
			return at, false, l.malformed("nothing was sent there", "%w", err)
		}
		at.Link = link
	}
	return l.linked(at, at.Link, l.r.URL, more)
}

// goesOnBy names the keys of the preset that say how a list goes on.
func (s *List) goesOnBy() string {
	switch s.Paging {
	case byOffset:
		return "list.paging, list.offset_param and list.has_more"
	case byPage:
		return "list.paging, list.page_param and list.has_more"
	case byCursor:
		return "list.next, list.cursor_param and list.has_more"
	case byNextLink:
		return "list.next and list.has_more"
	case byLinkHeader:
		return "list.paging"
	}
	return ""
}

// linked is next for lists whose pages name the one that follows.
func (l *listing) linked(at position, next, now, more string) (position, bool, error) {
	switch {
	case next == "" && more == "true":
		return at, false, l.malformed("look at list.next in the preset", "more follows, and nothing says where")
	case next == "" || more == "false":
		return at, true, nil
	case next == now:
		return at, false, l.malformed("ask the system's people", "the page names itself as the one that follows")
	}
	at.Rows = len(l.list.Items)
	l.c.named.add(l.k)
	return at, false, nil
}

// nextLink is the target of rel="next" in Link headers.
func nextLink(headers []string) string {
	for _, h := range headers {
		for h != "" {
			_, rest, ok := strings.Cut(h, "<")
			if !ok {
				break
			}
			target, params, ok := strings.Cut(rest, ">")
			if !ok {
				break
			}
			params, h, _ = strings.Cut(params, "<")
			for param := range strings.SplitSeq(params, ";") {
				name, v, _ := strings.Cut(strings.TrimSpace(strings.TrimRight(strings.TrimSpace(param), ",")), "=")
				if strings.EqualFold(strings.TrimSpace(name), "rel") && slices.ContainsFunc(strings.Fields(strings.Trim(v, `" `)), isNext) {
					return target
				}
			}
			if h != "" {
				h = "<" + h
			}
		}
	}
	return ""
}

func isNext(rel string) bool { return strings.EqualFold(rel, "next") }

// flaw says why a list, or a part of one, that ends with this page can't be taken for
// whole: it is cut short, or nothing shows that it isn't. A total that the page gives
// says so by itself.
func (l *listing) flaw(total int) string {
	s, rows := l.k.List, len(l.list.Items)
	switch {
	case len(l.parts) > 1 && total >= 0 && l.at.Offset+rows != total:
		return "a part of the window showed another number of records than its total"
	case total >= 0:
		return ""
	case s.Body == bodyLines && !l.allLines():
		return "nothing shows that these lines are all: name a total_header, or page by offset"
	case s.Paging == byOffset || s.Paging == byPage:
		if l.at.More && rows == 0 {
			return fmt.Sprintf("a page said at %q that more follows, and the next one is empty: does the system show no more than so many records?", s.HasMore)
		}
		return ""
	case s.Paging == byNone && l.full() && !l.saysEnd():
		return fmt.Sprintf("the list shows as many records as were asked for (%d): look at list.paging in the preset", l.c.limit(l.k))
	}
	return ""
}

// allLines reports whether lines that end are all there are: one that was to follow is
// missed by nothing but a total, or by the offset of the next page. A status that means
// nothing, on the first page, is no line that is missing.
func (l *listing) allLines() bool {
	nothing := l.a.Empty && l.a.Status != http.StatusOK && l.at.Offset == 0
	return l.at.Told || nothing || l.k.List.Paging == byOffset
}

// full reports whether the page has as many rows as were asked for, or as the page
// before it had.
func (l *listing) full() bool {
	rows := len(l.list.Items)
	if l.k.List.LimitEach {
		rows = l.list.Longest
	}
	return rows > 0 && (l.k.List.LimitParam != "" && rows >= l.c.limit(l.k) || l.at.Rows > 0 && rows >= l.at.Rows)
}

// saysEnd reports whether the page itself says that nothing follows, and doesn't just
// say nothing.
func (l *listing) saysEnd() bool {
	if string(l.list.Values[atHasMore]) == "false" {
		return true
	}
	if l.k.List.Paging == byLinkHeader {
		return len(l.a.Header.Values("Link")) > 0
	}
	return l.k.List.Paging != byNone && l.list.Values[atNext] != nil
}
