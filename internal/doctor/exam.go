package doctor

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"nightporter/connectors/rest"
)

// exam is the examination of one kind.
type exam struct {
	ctx  context.Context //nolint:containedctx // of one examination, which is one call
	a    *asker
	b    *book
	name string
	k    rest.Kind // as the preset has it
	way  *way

	path   string
	params url.Values // that the preset sends with each request for the list
	always url.Values // what each request for the list carries beside them: a window it asks for
	first  list       // as it comes without asking for more
	id     string     // path of the id
	marks  []string   // of the rows of first
	limit  string     // the parameter of the page size
	most   int        // the largest page size that was taken; 0: not known
	item   string     // path of the record in the answer to a read by id; empty: not known
	alone  row        // that record; nil: none was read
	one    observation
	none   observation // of a read by an id that nobody has

	firstAt  observation
	short    list // a page of width
	shortAt  observation
	big      list        // a page of most
	bigAt    observation // and its answer
	pages    pages
	more     string // path of what says that more follows
	complete bool   // of a grouped list: nothing is shown outside of its days
	empties  []int  // statuses of empty lists
	plain    bool   // a page behind the end was a success

	times map[string]form // of changed and created
}

// few is how many rows a list must show before its manners can be told.
const few = 4

// width is the page size by which places in the list are told.
const width = 2

func (e *exam) say(key string, v any, c Confidence, format string, args ...any) {
	e.b.say(e.name, key, v, c, format, args...)
}

func (e *exam) ask(q url.Values) observation {
	return e.a.ask(e.ctx, request{path: e.path, query: e.query(q)})
}

// query is a question for the list with all that goes along with it.
func (e *exam) query(q url.Values) url.Values { return merged(e.params, e.always, q) }

// list asks for the list and reads its rows. The answer is a list only if it is one of
// the same form as the first.
func (e *exam) list(q url.Values) (list, observation) {
	o := e.ask(q)
	return e.rows(o), o
}

func (e *exam) rows(o observation) list {
	if !o.ok() || flagged(o) {
		return list{}
	}
	l := readList(o, lastName(e.k.List.Items), lastSegment(e.path))
	if o.status == http.StatusNoContent || l.items == "" && e.first.grouped {
		l.items = e.first.items // an empty one has no groups to tell it by
	}
	return l
}

func with(pairs ...string) url.Values {
	q := url.Values{}
	for pair := range slices.Chunk(pairs, 2) {
		q.Set(pair[0], pair[len(pair)-1])
	}
	return q
}

// sized is a question for pages of a size, where one can be asked for.
func (e *exam) sized(n int, q url.Values) url.Values {
	if e.limit != "" && n > 0 {
		q.Set(e.limit, strconv.Itoa(n))
	}
	return q
}

// examine asks what there is to be known, the most important first: the requests may run
// out. What was compared while somebody wrote is compared once more.
func (e *exam) examine() {
	e.a.left = MostKind
	if !e.begin() {
		return
	}
	before := slices.Clone(e.b.all)
	for again := range 2 {
		if again > 0 {
			e.b.all = before
			e.forget()
			e.first, e.firstAt = e.list(nil)
		}
		e.compare()
		same, asked := e.still()
		if same && asked || !asked && again == 0 {
			return
		}
	}
	e.takeBack()
}

// forget makes ready for another comparison.
func (e *exam) forget() {
	*e = exam{ctx: e.ctx, a: e.a, b: e.b, name: e.name, k: e.k, way: e.way, path: e.path, params: e.params, always: e.always}
}

func (e *exam) compare() {
	e.shape()
	e.identify()
	e.records()
	e.careful(e.single)
	e.required()
	e.unlisted()
	if len(e.first.rows) < few {
		e.say("", nil, NotKnown, "%s in the list: too few to tell how it is paged and filtered; make some by hand, and run doctor again",
			count(len(e.first.rows), "record", "records"))
		return
	}
	for _, step := range []func(){e.windows, e.limits, e.paging, e.finds, e.sinces, e.sorts} {
		e.careful(step)
	}
}

// still reports whether the list is as it was when it was first read, as far as a page
// shows, and whether that could be asked.
func (e *exam) still() (same, asked bool) {
	was, at, q := e.first, e.firstAt, url.Values(nil)
	if len(e.big.rows) > len(was.rows) {
		was, at, q = e.big, e.bigAt, e.sized(e.most, url.Values{})
	}
	now, o := e.list(q)
	if !o.answered() {
		return false, false
	}
	t := e.total(was, at)
	n, says := e.again(t, now, o)
	return slices.Equal(marks(now.rows, e.id), marks(was.rows, e.id)) && (!t.told || !says || n == t.n), true
}

// takeBack says that what rests on comparing pages is not known.
func (e *exam) takeBack() {
	for i, f := range e.b.all {
		compared := strings.HasPrefix(f.Key, "list.") && f.Key != "list.items" && f.Key != "list.body" || f.Key == "find"
		if f.Kind == e.name && compared && f.sure() {
			e.b.all[i].Confidence, e.b.all[i].Value = NotKnown, nil
			e.b.all[i].Evidence = "records were written while pages were compared, twice: run doctor again at a quiet time"
		}
	}
}

// careful takes a step, and takes back what it concluded from silence if an answer was
// missing: that a parameter is ignored, that no page says more.
func (e *exam) careful(step func()) {
	lost, had := e.a.lost, slices.Clone(e.b.all)
	step()
	if e.a.lost == lost {
		return
	}
	for i, f := range e.b.all {
		is := func(g Finding) bool { return g.Kind == f.Kind && g.Key == f.Key && g.Evidence == f.Evidence }
		if f.sure() && (f.Value == nil || f.Value == byNone) && !slices.ContainsFunc(had, is) {
			e.b.all[i].Confidence, e.b.all[i].Value = NotKnown, nil
			e.b.all[i].Evidence = "an answer was missing that would tell"
		}
	}
}

// begin finds the path of the kind and reads its list.
func (e *exam) begin() bool {
	var o observation
	paths := synonyms(e.name, e.k.Path)
	if e.a.cfg.Own[e.name] {
		paths = paths[:1]
	}
	for _, path := range paths {
		e.path, e.params = path, single(e.k.List.Params)
		o = e.ask(nil)
		if wants(o) {
			o = e.asksWindow(o)
		}
		if wants(o) && len(e.params) > 0 {
			o = e.bare(o)
		}
		v := judge(o)
		if v == entered {
			e.first, e.firstAt = e.rows(o), o
			e.widen()
			e.way.last = o
			e.say("path", path, Known, "%s answers with a list", o.shown)
			return true
		}
		if v == forbidden {
			e.say("path", nil, NotKnown, "%s answers %s: the key may not read it; give it the right to read %s, or leave the kind out", o.shown, o.said(), e.name)
			return false
		}
		if v == silent {
			break
		}
	}
	e.say("path", nil, NotKnown, "no list was found for it; the last answer: %s to %s", o.said(), o.shown)
	return false
}

// single is parameters that have one value each.
func single(params map[string]string) url.Values {
	q := url.Values{}
	for name, v := range params {
		q.Set(name, v)
	}
	return q
}

// wants reports whether an answer refuses how the list was asked for.
func wants(o observation) bool {
	return o.status == http.StatusBadRequest || o.status == http.StatusUnprocessableEntity
}

// bare repeats a question that was refused without the parameters of the preset.
func (e *exam) bare(o observation) observation {
	with := e.params
	e.params = nil
	again := e.ask(nil)
	if wants(again) {
		again = e.asksWindow(again)
	}
	if judge(again) != entered {
		e.params = with
		return o
	}
	e.say("list.params", nil, Likely, "%s is refused with them (%s), and shows a list without: they may be for another version of the API", again.shown, o.said())
	return again
}

// asksWindow repeats a question that was refused with the days that the preset's window
// would ask for, for a list that is shown by days alone.
func (e *exam) asksWindow(o observation) observation {
	w := e.k.List.Window
	if w.From == "" {
		return o
	}
	e.always = with(w.From, day(-30), w.To, day(400))
	if again := e.ask(nil); judge(again) == entered {
		return again
	}
	e.always = nil
	return o
}

// widen asks for more days where a list of days is empty without them.
func (e *exam) widen() {
	w := e.k.List.Window
	if len(e.first.rows) > 0 || w.From == "" || e.always != nil {
		return
	}
	e.always = with(w.From, day(-365), w.To, day(400))
	if l, o := e.list(nil); len(l.rows) > 0 {
		e.first, e.firstAt = l, o
		return
	}
	e.always = nil
}

// day is a day so many days from now.
func day(n int) string { return time.Now().AddDate(0, 0, n).Format(time.DateOnly) }

func lastSegment(path string) string {
	return path[strings.LastIndexByte(path, '/')+1:]
}

// shape says where the rows are and what stands around them.
func (e *exam) shape() {
	l := e.first
	switch {
	case l.items == "" || l.several:
		e.say("list.items", nil, NotKnown, "more than one list, or none, is in the answer: look for the records, and name their path")
	case l.lines && len(l.rows) == 0:
		e.say("list.items", l.items, Known, "lines have nothing around them")
	case len(l.rows) == 0 && l.items == ".":
		e.say("list.items", nil, NotKnown, "the list is empty: nothing tells rows from groups of rows")
	case len(l.rows) == 0:
		e.say("list.items", l.items, Likely, "an empty list is there; with records in it, it could be told")
	default:
		e.say("list.items", l.items, Known, "%s there", count(len(l.rows), "record is", "records are"))
	}
	switch {
	case l.items == "":
		e.say("list.body", nil, NotKnown, "no list was in the answer")
	case l.lines:
		e.say("list.body", "lines", Known, "the answer is a record on each line")
	default:
		e.say("list.body", nil, Known, "the answer is one JSON value")
	}
	e.flag(l)
}

// flag says where answers tell whether they are a success.
func (e *exam) flag(l list) {
	if f, ok := e.b.has("", "errors.ok_flag"); ok && f.sure() && f.Value != nil {
		return
	}
	for _, path := range l.named(flagName) {
		if _, ok := l.about[path].(bool); ok {
			e.b.say("", "errors.ok_flag", path, Known, "a list says true there")
			return
		}
	}
	if l.items == "." || l.items == "" || strings.HasPrefix(l.items, "*") {
		if _, ok := e.b.has("", "errors.ok_flag"); !ok {
			e.b.say("", "errors.ok_flag", nil, NotKnown, "a list has no room for it, and no other answer shows one")
		}
		return
	}
	e.b.say("", "errors.ok_flag", nil, Known, "the object around a list has none")
}

// count is a number with its word.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func sortedKinds(p rest.Preset) []string { return slices.Sorted(maps.Keys(p.Kinds)) }
