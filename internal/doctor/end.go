package doctor

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
)

// The bounds of reading on.
const (
	mostWalk = 8         // pages of a list whose pages name the next one
	farAway  = 1_000_000 // a place behind the end of any list that says no total
)

// totals are the headers with the number of all records.
var totals = []string{"X-Total-Count", "X-Total", "Total-Count", "X-Pagination-Total-Count"}

// told is how many records an answer says there are.
type told struct {
	path   string // of the body, or
	header string
	n      int
	told   bool
	doubt  bool // something is told that changes
}

// total is what a page says of how many records there are. What changes with the size of
// the page is none; of several the first that is no less than what is shown counts.
func (e *exam) total(page list, o observation) told {
	names := totals
	if e.k.List.TotalHeader != "" {
		names = own(e.k.List.TotalHeader, names)
	}
	for _, h := range names {
		if n, err := strconv.Atoi(o.header.Get(h)); err == nil {
			return told{header: h, n: n, told: true}
		}
	}
	doubt := false
	paths := page.named(totalName)
	if e.k.List.Total != "" {
		paths = own(e.k.List.Total, paths)
	}
	for _, path := range paths {
		n, ok := whole(page.about[path])
		was, before := whole(e.first.about[path])
		switch {
		case !ok || !before:
		case n == was && (n < 0 || n >= len(page.rows) && n >= len(e.first.rows)):
			return told{path: path, n: n, told: true}
		case n > len(page.rows) && was > len(e.first.rows):
			doubt = true // no size of a page, and not the same: did somebody write meanwhile?
		}
	}
	return told{n: -1, doubt: doubt}
}

// whole is a whole number.
func whole(v any) (int, bool) {
	num, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	n, err := num.Int64()
	return int(n), err == nil
}

// again is what another page says at the place of t.
func (e *exam) again(t told, page list, o observation) (int, bool) {
	if t.header != "" {
		n, err := strconv.Atoi(o.header.Get(t.header))
		return n, err == nil
	}
	return whole(page.about[t.path])
}

// end finds how a list ends that goes on: the total, what says that more follows, and what
// an empty page looks like.
func (e *exam) end(page list, o observation) {
	t := e.total(page, o)
	switch e.pages.by {
	case byOffset, byPage:
		e.counts(page, t)
	default:
		e.walk(page, o, t)
	}
	e.emptied()
}

// place is a question for what begins at a row, of pages of a size.
func (e *exam) place(at, size int) url.Values {
	if e.pages.by == byPage {
		return e.sized(width, with(e.pages.param, strconv.Itoa(e.pages.first+at/size)))
	}
	return e.sized(width, with(e.pages.param, strconv.Itoa(at)))
}

// counts looks at the end of a list whose places can be counted.
func (e *exam) counts(page list, t told) {
	if t.told && t.n > 0 && e.endsAt(page, t) {
		return
	}
	last, ended := e.last(page)
	if !t.told || t.n <= 0 {
		e.sayTotal(t, len(page.rows), false, "")
	}
	_, says := e.moreOf(last)
	e.sayMore(page, last, ended && says)
}

// endsAt looks whether a list ends where it says. If so, that page is its last. Where it
// doesn't, it is looked at once more: somebody may have written meanwhile.
func (e *exam) endsAt(page list, t told) bool {
	first, ok := e.ending(page, t)
	if !ok {
		return false
	}
	if !first.right {
		again, ok := e.ending(page, t)
		start, o := e.list(e.sized(width, url.Values{}))
		now, says := e.again(t, start, o) // an empty page may not say it
		if !ok || again.right || !slices.Equal(again.rows, first.rows) || !says || now != t.n {
			e.say(totalKey(t), nil, NotKnown, "the list changed while its total was compared with it")
			return false
		}
	}
	e.sayTotal(t, len(page.rows), first.right, "the list ends just there")
	if first.right && t.n > 10*e.most && e.most > 0 {
		e.say("", nil, Likely, "its pages can be asked for side by side, as places are counted and the total is right: concurrency may be more than 1 if the system's people allow it")
	}
	if first.right {
		_, says := e.moreOf(first.last)
		e.sayMore(page, first.last, says)
	}
	return first.right
}

// ending is what was seen at the end of a list.
type ending struct {
	last  list
	at    observation
	right bool     // it is the end that the total says
	rows  []string // marks of all that was read
}

// ending reads the last page by the total, and the one behind it. ok is false where an
// answer is missing, or says another total.
func (e *exam) ending(page list, t told) (end ending, ok bool) {
	size := len(page.rows)
	at, want := t.n-1, 1 // of the last page, and how many rows it has
	beyond := t.n
	if e.pages.by == byPage {
		at = (t.n - 1) / size * size
		beyond, want = at+size, t.n-at
	}
	last, o := e.list(e.place(at, size))
	behind := e.ask(e.place(beyond, size))
	after := e.rows(behind)
	rows := after.rows
	e.empty(behind, true)
	now, says := e.again(t, last, o)
	later, still := e.again(t, after, behind)
	return ending{
		last: last, right: o.ok() && len(last.rows) == want && len(rows) == 0,
		rows: slices.Concat(marks(last.rows, e.id), marks(rows, e.id)),
	}, o.answered() && behind.answered() && (!says || now == t.n) && (!still || later == t.n)
}

// last reads a list on to its last page with rows, if that isn't far. ended says that it
// got there.
func (e *exam) last(page list) (last list, ended bool) {
	last = page
	size := width
	if len(e.big.rows) > len(page.rows) {
		last, size = e.big, e.most
	}
	n := len(last.rows)
	for i := range mostWalk {
		at := n
		if e.pages.by == byPage {
			at = e.pages.first + i + 1
		}
		l, o := e.list(e.sized(size, with(e.pages.param, strconv.Itoa(at))))
		if len(l.rows) == 0 {
			ended = o.answered()
			break
		}
		n, last = n+len(l.rows), l
	}
	// Some answer otherwise just behind the end than far from it.
	e.empty(e.ask(e.place(farAway, width)), true)
	return last, ended
}

func totalKey(t told) string {
	if t.header != "" {
		return "list.total_header"
	}
	return "list.total"
}

// walk follows a list to its end, if that isn't far. Where the total is another one, it is
// followed once more: somebody may have written meanwhile.
func (e *exam) walk(page list, o observation, t told) {
	first, n, ended := e.through(page, o)
	now, says := e.again(t, first.last, first.at)
	switch {
	case t.told && t.n >= 0 && says && now != t.n:
		e.say(totalKey(t), nil, NotKnown, "it changed while it was compared with the list")
	case t.told && t.n > n && !ended:
		e.say(totalKey(t), nil, NotKnown, "the list is too long to be compared with it in %d pages", mostWalk)
	case t.told && t.n >= 0 && n != t.n:
		again, _, over := e.through(page, o)
		if over != ended || !slices.Equal(again.rows, first.rows) {
			e.say(totalKey(t), nil, NotKnown, "the list changed while its total was compared with it")
			break
		}
		e.sayTotal(t, len(page.rows), false, "")
	default:
		e.sayTotal(t, len(page.rows), ended, "so many were counted")
	}
	_, more := e.moreOf(first.last)
	e.sayMore(page, first.last, ended && more)
}

// through follows a list from its first page on, and counts its rows.
func (e *exam) through(page list, o observation) (end ending, n int, ended bool) {
	l, at := page, o
	if len(e.big.rows) > len(page.rows) {
		l, at = e.big, e.bigAt
	}
	end = ending{last: l, at: at, rows: marks(l.rows, e.id)}
	n = len(l.rows)
	for range mostWalk {
		next, o, ok := e.next(end.last, end.at)
		if !ok {
			return end, n, true
		}
		if len(next.rows) == 0 {
			e.empty(o, true)
			return end, n, o.answered()
		}
		n += len(next.rows)
		end.last, end.at, end.rows = next, o, append(end.rows, marks(next.rows, e.id)...)
	}
	return end, n, false
}

// next is the page that follows another one by what it names; ok is false where it names none.
func (e *exam) next(l list, o observation) (list, observation, bool) {
	switch e.pages.by {
	case byLinkHeader:
		m := linkNext.FindStringSubmatch(o.header.Get("Link"))
		if m == nil {
			return list{}, o, false
		}
		l, o, _ := e.leads(o, m[1]) // one that leads elsewhere is no end, and no answer
		return l, o, true
	case byNextLink:
		link, _ := l.about[e.pages.next].(string)
		if link == "" {
			return list{}, o, false
		}
		l, o, _ := e.leads(o, link)
		return l, o, true
	}
	token, _ := l.about[e.pages.next].(string)
	if token == "" {
		return list{}, o, false
	}
	size := e.most
	if size == 0 {
		size = width
	}
	q := e.sized(size, with(e.pages.param, token))
	next := e.a.ask(e.ctx, request{path: e.path, query: e.query(q), shown: "the next page by its cursor"})
	return e.rows(next), next, true
}

func merged(all ...url.Values) url.Values {
	out := url.Values{}
	for _, q := range all {
		for name, v := range q {
			out[name] = slices.Clone(v)
		}
	}
	return out
}

// sayTotal says where the number of all records is. A wrong one is worse than none.
func (e *exam) sayTotal(t told, shown int, right bool, because string) {
	path, header := any(nil), any(nil)
	switch {
	case t.doubt:
		e.say("list.total", nil, NotKnown, "a number that could be it changed between two pages")
		return
	case !t.told:
		e.say("list.total", path, Known, "no answer says how many records there are")
		e.say("list.total_header", header, Known, "no answer says how many records there are")
		return
	case t.n < 0:
		e.say(totalKey(t), nil, Known, "it says %d with %s in sight: that is no number of records", t.n, count(shown, "record", "records"))
	case !right:
		e.say(totalKey(t), nil, Known, "it says %d, and the list ends elsewhere", t.n)
	case t.header != "":
		e.say("list.total_header", t.header, Known, "it says %d, and %s", t.n, because)
	default:
		e.say("list.total", t.path, Known, "it says %d, and %s", t.n, because)
	}
	other := map[string]string{"list.total": "list.total_header", "list.total_header": "list.total"}[totalKey(t)]
	if _, ok := e.b.has(e.name, other); !ok {
		e.say(other, nil, Known, "the number is not there")
	}
}

// sayMore says where a page tells whether more follows. page has something behind it,
// last has nothing if atEnd.
func (e *exam) sayMore(page, last list, atEnd bool) {
	first, says := e.moreOf(page)
	follows := e.pages.by != ""
	switch {
	case !says:
		e.say("list.has_more", nil, Known, "no page says whether more follows")
	case follows && !first:
		e.say("list.has_more", nil, Known, "%s is false on a page behind which more follows", e.more)
	case !follows:
		e.say("list.has_more", e.more, Likely, "it is %t on the only page", first)
	default:
		if more, ok := e.moreOf(last); ok && atEnd && more {
			e.say("list.has_more", nil, Known, "%s is true on the last page", e.more)
			return
		} else if ok && atEnd {
			e.say("list.has_more", e.more, Known, "it is true where more follows, and false on the last page")
			return
		}
		e.say("list.has_more", e.more, Likely, "it is true where more follows; the last page was not seen")
	}
}
