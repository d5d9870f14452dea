package doctor

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

// sinceNames are the parameters that are tried beside the preset's own.
var sinceNames = []string{"updated_since", "modified_since", "updated_after", "modified_after", "changed_since", "since"}

// sinces finds the parameter that limits the list to what changed. It counts only if
// nothing is shown for a time to come, and for a time within the list just what changed
// since.
func (e *exam) sinces() {
	f, ok := e.times["changed"]
	if !ok {
		e.say("list.since", nil, NotKnown, "no record shows when it was changed, to try a filter on")
		return
	}
	later := write(f.format, time.Now().AddDate(10, 0, 0))
	name, worst := pick(own(e.k.List.Since.Param, sinceNames), func(names ...string) probe {
		l, o := e.list(valued(later, names...))
		switch {
		case slices.Equal(marks(l.rows, e.id), e.marks):
			return ignored
		case o.refuses():
			return refused
		case o.status == http.StatusNoContent || o.ok() && len(l.rows) == 0:
			e.empty(o, false)
			return honoured
		}
		return unclear
	})
	switch {
	case name == "" && worst == ignored && e.k.List.Since.Param != "":
		e.say("list.since", nil, Likely, "%s is ignored, and so are the usual names", e.k.List.Since.Param)
	case name == "" && worst == ignored:
		e.say("list.since", nil, NotKnown, "%s change nothing: there is none, or it has another name", strings.Join(sinceNames, ", "))
	case name == "":
		e.say("list.since", nil, NotKnown, "a filter by time of change is refused, or changes the list in a way that is no proof")
	default:
		e.since(name, f)
	}
}

// since tries the parameter on a time within the list.
func (e *exam) since(name string, f form) {
	from, middle := e.middle(f)
	l, o := e.list(valued(middle, name))
	if !o.ok() || len(l.rows) == 0 {
		e.say("list.since", nil, NotKnown, "%s shows nothing for a time to come, and nothing for one within the list", name)
		return
	}
	for _, r := range l.rows {
		if t, ok := parse(f.format, at(r, f.path)); !ok || t.Before(from.Truncate(time.Second)) {
			e.say("list.since", nil, NotKnown, "%s shows records that did not change since: it may go by another time", name)
			return
		}
	}
	c := Known
	words := "nothing is shown for a time to come, and for one within the list what changed since"
	if !e.edited(f, l.rows, from) {
		c, words = Likely, words+"; no record shows that it goes by changes and not by creation"
	}
	e.say("list.since", map[string]any{"param": name, "format": f.format}, c, "%s", words)
}

// middle is a time of change in the midst of those of the list, as the API is asked for it.
func (e *exam) middle(f form) (time.Time, string) {
	type moment struct {
		at   time.Time
		text string
	}
	var all []moment
	for _, r := range e.first.rows {
		if t, ok := parse(f.format, at(r, f.path)); ok {
			all = append(all, moment{t, text(at(r, f.path))})
		}
	}
	slices.SortFunc(all, func(a, b moment) int { return a.at.Compare(b.at) })
	m := all[len(all)/2]
	if f.format == "rfc3339" || strings.HasPrefix(f.format, "epoch") {
		m.text = write(f.format, m.at)
	}
	return m.at, m.text
}

// edited reports whether a row is shown that was made before a time and changed after it.
func (e *exam) edited(f form, rows []row, from time.Time) bool {
	c, ok := e.times["created"]
	return ok && slices.ContainsFunc(rows, func(r row) bool {
		made, ok1 := parse(c.format, at(r, c.path))
		changed, ok2 := parse(f.format, at(r, f.path))
		return ok1 && ok2 && made.Before(from) && !changed.Before(from)
	})
}

// sorts tries to have the list in another order. Only an order that no edit changes makes
// a list stable, and that none does can't be seen.
func (e *exam) sorts() {
	by := e.id
	if c, ok := e.times["created"]; ok {
		by = c.field
	}
	if by == "" || e.first.grouped {
		e.say("list.order", nil, NotKnown, "no sort was tried: the list may miss a record while others write")
		return
	}
	names := []string{"sort", "order_by"}
	up, o1 := e.list(valued(by, names...))
	down, o2 := e.list(valued("-"+by, names...))
	a, b := marks(up.rows, e.id), marks(down.rows, e.id)
	switch {
	case o1.refuses() || o2.refuses() || len(a) == 0 || len(b) == 0:
		e.say("list.order", nil, NotKnown, "a sort by %s is refused, or its name is another", by)
	case slices.Equal(a, b):
		e.say("list.order", nil, NotKnown, "%s are ignored: the order is the system's own, and whether an edit changes it can't be seen", strings.Join(names, " and "))
	default:
		e.say("list.order", nil, NotKnown, "%s or %s is honoured: with params: { sort: %s } and order: immutable the list is stable, if the system says that no edit changes it and that no two records share it",
			names[0], names[1], by)
	}
}
