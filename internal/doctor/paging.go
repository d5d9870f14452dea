package doctor

import (
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The ways of paging, as a preset names them.
const (
	byOffset     = "offset"
	byPage       = "page"
	byCursor     = "cursor"
	byNextLink   = "next_link"
	byLinkHeader = "link_header"
	byNone       = "none"
)

// pages is how a list goes on.
type pages struct {
	by    string
	param string
	first int    // of page
	next  string // path of the next cursor or link
}

var (
	offsetNames = []string{"offset", "skip", "start"}
	pageNames   = []string{"page", "page_number"}
	cursorNames = []string{"cursor", "page_token", "pageToken", "after", "next_token", "starting_after"}
)

// paging finds how the list goes on, and then how it ends.
func (e *exam) paging() {
	page, o := e.page()
	found := e.linked(page, o)
	if found.by == "" && !e.first.grouped {
		found = e.counted()
	}
	e.pages = found
	if found.by == "" {
		e.whole(page, o)
		return
	}
	e.say("list.paging", found.by, Known, "%s", e.shows(found))
	switch found.by {
	case byOffset:
		e.say("list.offset_param", found.param, Known, "%s=1 begins with the second record", found.param)
	case byPage:
		e.say("list.page_param", found.param, Known, "it was followed to the second page")
		e.say("list.first_page", found.first, Known, "%s=%d is the first page", found.param, found.first)
	case byCursor:
		e.say("list.cursor_param", found.param, Known, "with what stands at %s it shows what follows", found.next)
		e.say("list.next", found.next, Known, "what stands there leads on")
	case byNextLink:
		e.say("list.next", found.next, Known, "the link there leads to what follows")
	}
	e.cutDown()
	e.end(page, o)
}

func (e *exam) shows(p pages) string {
	switch p.by {
	case byLinkHeader:
		return "the header Link names the next page, and it shows what follows"
	case byNextLink:
		return "an answer has a link to the next page at " + p.next + ", and it shows what follows"
	case byCursor:
		return "an answer names the next page at " + p.next + ", and it shows what follows"
	case byPage:
		return p.param + " leads from page to page, and offset does not"
	}
	return p.param + " is honoured"
}

// page is a page behind which something follows, if the list has pages: a short one,
// where its size can be asked for.
func (e *exam) page() (list, observation) {
	if e.limit == "" || e.first.grouped {
		return e.first, e.firstAt
	}
	return e.short, e.shortAt
}

var linkNext = regexp.MustCompile(`(?i)<([^>]*)>[^<]*;\s*rel="?next"?`)

// rest is the marks of the rows that follow a page; nil where the first page has no more.
func (e *exam) rest(page list) []string {
	return e.marks[min(len(page.rows), len(e.marks)):]
}

// follows reports whether a page is what follows another one.
func (e *exam) follows(page, next list) bool {
	got := marks(next.rows, e.id)
	if rest := e.rest(page); len(rest) > 0 {
		return begins(got, rest)
	}
	return apart(got, marks(page.rows, e.id))
}

// linked looks for a list whose pages name the one that follows.
func (e *exam) linked(page list, o observation) pages {
	if m := linkNext.FindStringSubmatch(strings.Join(o.header.Values("Link"), ", ")); m != nil {
		if l, _, ok := e.leads(o, m[1]); ok && e.follows(page, l) {
			return pages{by: byLinkHeader}
		}
	}
	paths := page.named(nextName)
	if e.k.List.Next != "" {
		paths = own(e.k.List.Next, paths)
	}
	for _, path := range paths {
		token, ok := page.about[path].(string)
		if !ok || token == "" {
			continue
		}
		if strings.Contains(token, "://") || strings.HasPrefix(token, "/") || strings.HasPrefix(token, "?") {
			if l, _, ok := e.leads(o, token); ok && e.follows(page, l) {
				return pages{by: byNextLink, next: path}
			}
			continue
		}
		if p := e.cursor(page, path, token); p.by != "" {
			return p
		}
	}
	return pages{}
}

// leads follows a link.
func (e *exam) leads(from observation, link string) (list, observation, bool) {
	to, ok := follow(from.url, link)
	if !ok {
		return list{}, observation{}, false
	}
	o := e.a.ask(e.ctx, request{link: to, shown: "the link to the next page"})
	return e.rows(o), o, true
}

// cursor looks for the parameter that takes a cursor.
func (e *exam) cursor(page list, path, token string) pages {
	names := own(e.k.List.CursorParam, append([]string{lastName(path)}, cursorNames...))
	name, _ := pick(names, func(names ...string) probe {
		l, o := e.list(e.sized(width, valued(token, names...)))
		switch {
		case e.follows(page, l):
			return honoured
		case begins(marks(l.rows, e.id), e.marks):
			return ignored
		case o.refuses():
			return refused
		}
		return unclear
	})
	if name == "" {
		return pages{}
	}
	return pages{by: byCursor, param: name, next: path}
}

// counted looks for a list that is asked for by offset or by page.
func (e *exam) counted() pages {
	names := own(e.k.List.OffsetParam, offsetNames)
	if p := e.offset(names[:1]); p.by != "" {
		return p
	}
	if p := e.paged(); p.by != "" {
		return p
	}
	return e.offset(names[1:])
}

func (e *exam) offset(names []string) pages {
	for _, name := range names {
		l, _ := e.list(e.sized(width, with(name, "1")))
		if !begins(marks(l.rows, e.id), e.marks[1:]) {
			continue
		}
		// The first record may have been removed just then, which looks the same.
		if l, _ = e.list(e.sized(width, with(name, "0"))); begins(marks(l.rows, e.id), e.marks) {
			return pages{by: byOffset, param: name}
		}
	}
	return pages{}
}

func (e *exam) paged() pages {
	for _, name := range own(e.k.List.PageParam, pageNames) {
		ask := func(n int) []string {
			l, _ := e.list(e.sized(width, with(name, strconv.Itoa(n))))
			return marks(l.rows, e.id)
		}
		second := ask(2)
		if len(second) == 0 || begins(second, e.marks) {
			continue // it is ignored, or nothing is there
		}
		size := len(e.marks)
		if e.limit != "" {
			size = width
		}
		if first, ok := firstPage(ask(1), second, e.marks, size); ok {
			return pages{by: byPage, param: name, first: first}
		}
	}
	return pages{}
}

// firstPage is the number of the first page, by what pages 1 and 2 show beside the list
// itself. Where the list that was shown is one page, what follows it is not known, and
// must only be something else.
func firstPage(one, two, all []string, size int) (int, bool) {
	rest := all[size:]
	follows := func(page []string) bool {
		if len(rest) == 0 {
			return apart(page, all)
		}
		return begins(page, rest)
	}
	switch {
	case begins(one, all) && follows(two):
		return 1, true
	case follows(one) && apart(two, one):
		return 0, true
	}
	return 0, false
}

// whole judges a list that can't be led on: it is whole only if something says so.
func (e *exam) whole(page list, o observation) {
	shown := len(page.rows)
	t := e.total(page, o)
	more, says := e.moreOf(page)
	switch {
	case e.limit != "" && !e.first.grouped:
		e.say("list.paging", nil, NotKnown, "a page has the size that is asked for, and none of the usual names leads to the next one")
		return
	case e.a.dead != "" || e.a.left <= 0:
		e.say("list.paging", nil, NotKnown, "not all questions could be asked")
		return
	case e.first.grouped && e.complete:
		e.say("list.paging", byNone, Known, "nothing is shown for the days before and after those of the list, and its groups are all there")
	case t.n == shown && t.told:
		e.say("list.paging", byNone, Known, "it shows as many records as it says there are, and no parameter leads on")
	case says && !more && (!t.told || t.n < 0):
		e.say("list.paging", byNone, Known, "it says at %s that nothing follows, and no parameter leads on", e.more)
	default:
		e.say("list.paging", nil, NotKnown, "no usual parameter leads on, and nothing says that the %d records shown are all", shown)
		e.emptied()
		return // a total that differs may be right
	}
	e.sayMore(page, page, says && !more)
	e.sayTotal(t, shown, t.n == shown, "it is the number of the records shown")
	e.emptied()
}

// moreOf is what a page says of whether more follows, and whether it says so.
func (e *exam) moreOf(page list) (more, says bool) {
	paths := page.named(moreName)
	if e.k.List.HasMore != "" {
		paths = own(e.k.List.HasMore, paths)
	}
	for _, path := range paths {
		if v, ok := page.about[path].(bool); ok {
			e.more = path
			return v, true
		}
	}
	return false, false
}

// empty notes the answer with an empty list. place says that it is behind the end.
func (e *exam) empty(o observation, place bool) {
	switch {
	case o.status == http.StatusNoContent || place && (o.status == http.StatusNotFound || o.status == http.StatusGone):
		if !slices.Contains(e.empties, o.status) {
			e.empties = append(e.empties, o.status)
		}
	case place && o.ok() && !flagged(o):
		e.plain = true
	}
}

// emptied says what an empty page looks like.
func (e *exam) emptied() {
	switch {
	case len(e.empties) > 0:
		slices.Sort(e.empties)
		e.say("list.empty_status", e.empties, Known, "an empty list was answered so")
	case e.plain:
		e.say("list.empty_status", nil, Known, "a page behind the end is an empty list")
	default:
		e.say("list.empty_status", nil, NotKnown, "no empty page was seen")
	}
}
