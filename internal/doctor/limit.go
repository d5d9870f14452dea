package doctor

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// The names of parameters that are tried beside the preset's own.
var (
	limitNames = []string{"limit", "per_page", "page_size", "count", "size", "pageSize"}
	eachNames  = []string{"events_per_day", "per_day", "limit_per_day", "items_per_day"}
)

// probe is what one question about a parameter showed.
type probe int

const (
	ignored  probe = iota // the answer is as without it
	honoured              // the answer is what the parameter asks for
	refused               // the answer is a refusal
	unclear               // the answer is something else
)

// pick asks with each parameter on its own, the preset's first, until one is honoured. The
// others are asked for together before, so that a system that knows none of them is asked
// twice and not six times.
func pick(names []string, try func(names ...string) probe) (name string, worst probe) {
	if len(names) == 0 {
		return "", ignored
	}
	worst = try(names[0])
	if worst == honoured {
		return names[0], honoured
	}
	rest := names[1:]
	if len(rest) > 1 {
		all := try(rest...)
		if all == ignored {
			return "", worst
		}
		worst = max(worst, all)
	}
	for _, n := range rest {
		p := try(n)
		if p == honoured {
			return n, honoured
		}
		worst = max(worst, p)
	}
	return "", worst
}

func own(name string, names []string) []string {
	if name == "" {
		return names
	}
	return compact(append([]string{name}, names...))
}

// valued is a question in which each of these parameters has the same value.
func valued(v string, names ...string) url.Values {
	q := url.Values{}
	for _, n := range names {
		q.Set(n, v)
	}
	return q
}

// limits finds the parameter of the page size, and how large a page may be.
func (e *exam) limits() {
	if e.first.grouped {
		e.limitEach()
		return
	}
	name, worst := pick(own(e.k.List.LimitParam, limitNames), func(names ...string) probe {
		l, o := e.list(valued(strconv.Itoa(width), names...))
		switch {
		case len(l.rows) == width && begins(marks(l.rows, e.id), e.marks):
			e.short, e.shortAt = l, o
			return honoured
		case len(l.rows) == len(e.first.rows):
			return ignored
		case o.refuses():
			return refused
		}
		return unclear
	})
	switch {
	case name != "":
		e.limit = name
		e.say("list.limit_param", name, Known, "%s=%d shows %d records, and without it there are %d", name, width, width, len(e.first.rows))
		e.largest()
	case worst == ignored:
		e.say("list.limit_param", nil, Likely, "%s change nothing: the size of a page is the system's to choose, or the name is another", strings.Join(own(e.k.List.LimitParam, limitNames), ", "))
	default:
		e.say("list.limit_param", nil, NotKnown, "none of the usual names is honoured, and some are refused")
	}
}

// limitEach finds the parameter of the size of each group of rows.
func (e *exam) limitEach() {
	if e.first.longest < 2 {
		e.say("list.limit_param", nil, NotKnown, "no day has more than one record, so that nothing shows how many a day are shown")
		return
	}
	names := eachNames
	if e.k.List.LimitEach {
		names = own(e.k.List.LimitParam, names)
	}
	name, worst := pick(names, func(names ...string) probe {
		l, o := e.list(valued("1", names...))
		switch {
		case l.longest == 1:
			return honoured
		case len(l.rows) == len(e.first.rows):
			return ignored
		case o.refuses():
			return refused
		}
		return unclear
	})
	switch {
	case name != "":
		e.limit = name
		e.say("list.limit_param", name, Known, "%s=1 shows one record a day, and without it a day has up to %d", name, e.first.longest)
		e.say("list.limit_each", true, Known, "it is the size of each day")
		e.say("list.max_page_size", nil, NotKnown, "no refusal tells how many a day are shown at most: a day with more of them would be cut short")
	case worst == ignored:
		e.say("list.limit_param", nil, Likely, "%s change nothing: days are shown whole, as far as can be seen", strings.Join(names, ", "))
	default:
		e.say("list.limit_param", nil, NotKnown, "none of the usual names is honoured, and some are refused")
	}
}

// largest asks for a page as large as is wanted and, where that is refused, finds the
// largest that is not.
func (e *exam) largest() {
	want := e.wants()
	l, o := e.list(e.sized(want, url.Values{}))
	switch {
	case l.items != "" && o.ok():
		e.most, e.big, e.bigAt = want, l, o
		e.taken(want, l)
		return
	case !o.refuses():
		e.say("list.max_page_size", nil, NotKnown, "%s: %s", o.shown, o.said())
		return
	}
	low, high := width, want // low is taken, high is refused
	_, words := message(o.body, e.a.cfg.Preset.Errors.Message)
	next := numberIn(words, low, high)
	for high-low > 1 {
		n := (low + high) / 2
		if next > low && next < high {
			n = next
			next++ // if it is taken, the one above must not be
		}
		l, o := e.list(e.sized(n, url.Values{}))
		switch {
		case l.items != "" && o.ok():
			low, e.big, e.bigAt = n, l, o
		case o.refuses():
			high = n
		default:
			e.say("list.max_page_size", nil, NotKnown, "%s: %s", o.shown, o.said())
			return
		}
	}
	e.most = low
	e.say("list.max_page_size", low, Known, "%s=%d is taken and %d is refused", e.limit, low, high)
}

// taken says of a page size that was not refused whether a page of that size came.
func (e *exam) taken(want int, l list) {
	shown := count(len(l.rows), "record", "records")
	if len(l.rows) >= want {
		e.say("list.max_page_size", e.k.List.MaxPageSize, Known, "%s=%d is taken; it shows %s", e.limit, want, shown)
		return
	}
	e.say("list.max_page_size", e.k.List.MaxPageSize, Likely, "%s=%d is not refused; it shows %s, which may be all there are", e.limit, want, shown)
}

// cutDown looks what follows the largest page where that has fewer rows than were asked
// for, and something says that there are more: then a larger page is cut down.
func (e *exam) cutDown() {
	n := len(e.big.rows)
	more, _ := e.moreOf(e.big)
	t := e.total(e.big, e.bigAt)
	if n == 0 || n >= e.most || !more && (!t.told || t.n <= n) && len(e.first.rows) <= n {
		return
	}
	var next list
	switch e.pages.by {
	case byOffset:
		next, _ = e.list(e.sized(e.most, with(e.pages.param, strconv.Itoa(n))))
	case byPage:
		next, _ = e.list(e.sized(e.most, with(e.pages.param, strconv.Itoa(e.pages.first+1))))
	default:
		next, _, _ = e.next(e.big, e.bigAt)
	}
	if apart(marks(next.rows, e.id), marks(e.big.rows, e.id)) {
		e.say("list.max_page_size", nil, NotKnown, "%s=%d shows %s, and more follow: a larger page is cut down without a word, which does no harm", e.limit, e.most, count(n, "record", "records"))
	}
}

// wants is the page size that the preset asks for.
func (e *exam) wants() int {
	n := e.a.cfg.Preset.PageSize
	if n <= 0 {
		n = 100
	}
	if e.k.List.MaxPageSize > 0 {
		n = min(n, e.k.List.MaxPageSize)
	}
	return max(n, width+1)
}

var digits = regexp.MustCompile(`[0-9]+`)

// numberIn is a number between two others that a refusal names; 0: none.
func numberIn(words string, above, below int) int {
	for _, text := range digits.FindAllString(words, -1) {
		if n, err := strconv.Atoi(text); err == nil && n > above && n < below {
			return n
		}
	}
	return 0
}
