package doctor

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"nightporter/connectors/jsonx"
	"nightporter/connectors/rest"
)

// finds tries each way of the preset to look a record up, with the values of a record of
// the list. It counts only if it shows records with just these values, and none for
// values that nobody has: many systems ignore a filter that they don't know.
func (e *exam) finds() {
	if len(e.k.Find) == 0 {
		return
	}
	if e.id == "" {
		e.say("find", nil, NotKnown, "without an id no record that is found can be told from another")
		return
	}
	var good []any
	var doubts, tried []string
	for _, f := range e.k.Find {
		tried = append(tried, strings.Join(f.By, " and "))
		v, why := e.find(f)
		switch {
		case v != nil:
			good = append(good, v)
		case why != "":
			doubts = append(doubts, why)
		}
	}
	switch {
	case len(doubts) > 0:
		e.say("find", nil, NotKnown, "%s", strings.Join(doubts, "; "))
	case len(good) == 0:
		e.say("find", nil, Known, "a filter by %s is ignored, and no path leads to a record by it", strings.Join(tried, ", or by "))
	default:
		e.say("find", good, Known, "the values of a record find it, and values that nobody has find nothing")
	}
}

// find tries one way. The value is that of the preset's entry; nil with an empty why means
// that the system doesn't honour it.
func (e *exam) find(f rest.Find) (value any, why string) {
	by := strings.Join(f.By, " and ")
	r, ok := filled(e.first.rows, f.By)
	if !ok {
		return nil, "no record has " + by + " to look it up by"
	}
	if f.Item != "" && len(f.By) == 1 && len(f.Params)+len(f.Fixed) == 0 {
		v, p := e.byPath(f.Path, by, r)
		if p == honoured {
			return v, ""
		}
		why = "GET " + f.Path + " doesn't find a record by its own value, or finds one for a value that nobody has: it may take values in another form"
	} else if f.Item == "" && len(f.Params) > 0 && (f.Path == "" || f.Path == e.k.Path) {
		switch p := e.filtered(f, r); p {
		case honoured:
			return entry(f), ""
		case unclear:
			return nil, "a filter by " + by + " changes the list in a way that is no proof"
		case refused:
			why = "a filter by " + by + " is refused with the values of a record: it may take them in another form"
		case ignored:
		}
	} else {
		return nil, "the way by " + f.Path + " was not tried"
	}
	if len(f.By) == 1 && strings.Contains(by, "phone") {
		path := e.path + "/by-phone/{" + by + "}"
		switch v, p := e.byPath(path, by, r); {
		case p == honoured:
			return v, ""
		case p != ignored && why == "":
			why = "GET " + path + " leads somewhere, and not for certain to a record by its own value"
		}
	}
	return nil, why
}

// entry is a find as keys of a preset.
func entry(f rest.Find) map[string]any {
	v := map[string]any{"by": f.By, "params": f.Params}
	if len(f.Fixed) > 0 {
		v["fixed"] = f.Fixed
	}
	return v
}

// filtered asks the list for the values of a row, and for values that nobody has.
func (e *exam) filtered(f rest.Find, r row) probe {
	q, names := url.Values{}, []string{}
	for param, v := range f.Fixed {
		q.Set(param, v)
	}
	none := merged(q)
	for _, param := range slices.Sorted(maps.Keys(f.Params)) {
		v := text(at(r, f.Params[param]))
		q.Set(param, v)
		none.Set(param, v)
		names = append(names, param+"=…")
	}
	for param, path := range f.Params {
		if path == f.By[0] {
			none.Set(param, nobody(text(at(r, path))))
		}
	}
	shown := "GET " + e.path + "?" + strings.Join(names, "&")
	o := e.a.ask(e.ctx, request{path: e.path, query: e.query(q), shown: shown + " with values of a record"})
	l := e.rows(o)
	if o.refuses() { // the parameter, or this value of it
		return refused
	}
	mine := slices.Contains(marks(l.rows, e.id), marks([]row{r}, e.id)[0])
	others := slices.ContainsFunc(l.rows, func(x row) bool { return !sameAt(x, r, f.By) })
	if others && begins(marks(l.rows, e.id), e.marks) {
		return ignored
	}
	no := e.a.ask(e.ctx, request{path: e.path, query: e.query(none), shown: shown + " with values that nobody has"})
	e.empty(no, false)
	empty := len(e.rows(no).rows) == 0 && (no.status == http.StatusNoContent || no.ok() && !flagged(no))
	switch {
	case mine && !others && empty:
		return honoured
	case begins(marks(e.rows(no).rows, e.id), e.marks):
		return ignored
	}
	return unclear
}

// sameAt reports whether two rows hold the same at all the paths.
func sameAt(a, b row, paths []string) bool {
	for _, p := range paths {
		if text(at(a, p)) != text(at(b, p)) {
			return false
		}
	}
	return true
}

// byPath looks for one record by a value in the path; ignored means that nothing is there.
func (e *exam) byPath(path, by string, r row) (map[string]any, probe) {
	value, id := text(at(r, by)), text(at(r, e.id))
	at := func(v string) string { return strings.ReplaceAll(path, "{"+by+"}", escaped(v)) }
	o := e.a.ask(e.ctx, request{path: at(value), shown: "GET " + path + " with the value of a record"})
	if o.status == http.StatusBadRequest || o.status == http.StatusUnprocessableEntity {
		return nil, refused // a path that nobody knows has nothing against a value
	}
	if !o.ok() || flagged(o) {
		return nil, ignored
	}
	found, item := within(o.body, e.id, id, jsonx.Path{}, 0)
	if found == nil {
		return nil, ignored
	}
	no := e.a.ask(e.ctx, request{path: at(nobody(value)), shown: "GET " + path + " with a value that nobody has"})
	if no.status == http.StatusNotFound || no.ok() && flagged(no) {
		return map[string]any{"by": []string{by}, "path": path, "item": item}, honoured
	}
	return nil, unclear
}
