package doctor

import (
	"net/http"
	"net/url"
	"slices"
	"time"
)

// windowNames are the parameters of a first and a last day that are tried beside the
// preset's own.
var windowNames = [][2]string{{"start_date", "end_date"}, {"from", "to"}, {"date_from", "date_to"}, {"start", "end"}}

// span is the first and the last day of a record.
type span struct{ from, to string }

// spans is the days of the rows that show both, in a form.
func (e *exam) spans(rows []row, format string) []span {
	var out []span
	for _, r := range rows {
		from, ok1 := parse(format, at(r, e.k.WindowFields[0]))
		to, ok2 := parse(format, at(r, e.k.WindowFields[1]))
		if ok1 && ok2 {
			out = append(out, span{from.UTC().Format(time.DateOnly), to.UTC().Format(time.DateOnly)})
		}
	}
	return out
}

// windows finds the parameters that limit a list of stays to days.
func (e *exam) windows() {
	if len(e.k.WindowFields) != 2 {
		return
	}
	format, sure := dayFormat(e.first.rows, e.k.WindowFields)
	days := e.spans(e.first.rows, format)
	if len(days) == 0 || !sure {
		e.say("list.window", nil, NotKnown, "no record shows days that can be told, to try a window on")
		return
	}
	pairs := windowNames
	if w := e.k.List.Window; w.From != "" {
		pairs = compact(append([][2]string{{w.From, w.To}}, pairs...))
	}
	was := e.always
	e.always = nil
	defer func() { e.always = was }()
	doubt := false
	for i, pair := range pairs {
		if i == 1 && len(pairs) > 2 && e.windowless(pairs[1:]) {
			break
		}
		switch e.window(pair, days, format) {
		case honoured:
			w := map[string]any{"from": pair[0], "to": pair[1]}
			if e.k.List.Window.MaxDays > 0 {
				w["max_days"] = e.k.List.Window.MaxDays
			}
			e.say("list.window", w, Known, "%s and %s show the records of those days, and none for days of 1950", pair[0], pair[1])
			e.wholeDays(pair, days)
			return
		case refused, unclear:
			doubt = true
		case ignored:
		}
	}
	if doubt {
		e.say("list.window", nil, NotKnown, "a window of days is refused, or changes the list in a way that is no proof")
		return
	}
	if e.k.List.Window.From == "" {
		e.say("list.window", nil, NotKnown, "none of the usual pairs of parameters limits the list to days: there is none, or it has other names")
		return
	}
	e.say("list.window", nil, Likely, "%s and %s are ignored, and so are the usual pairs", e.k.List.Window.From, e.k.List.Window.To)
}

// windowless reports whether the list stays as it is with all of these pairs at once.
func (e *exam) windowless(pairs [][2]string) bool {
	q := url.Values{}
	for _, p := range pairs {
		q.Set(p[0], longAgo.from)
		q.Set(p[1], longAgo.to)
	}
	l, _ := e.list(q)
	return slices.Equal(marks(l.rows, e.id), e.marks)
}

// longAgo are days on which nobody stayed.
var longAgo = span{"1950-01-01", "1950-01-31"}

// window tries one pair of parameters: days on which nobody stayed, and those of a record.
func (e *exam) window(pair [2]string, days []span, format string) probe {
	no, o := e.list(with(pair[0], longAgo.from, pair[1], longAgo.to))
	if slices.Equal(marks(no.rows, e.id), e.marks) {
		return ignored
	}
	if o.refuses() && o.status != http.StatusNotFound {
		return refused
	}
	if len(no.rows) > 0 || o.status == 0 || o.status >= 300 {
		return unclear
	}
	e.empty(o, false)
	d := days[0]
	yes, _ := e.list(with(pair[0], d.from, pair[1], d.to))
	shown := e.spans(yes.rows, format)
	if len(shown) == 0 || len(shown) != len(yes.rows) || slices.ContainsFunc(shown, func(s span) bool { return s.from > d.to || s.to < d.from }) {
		return unclear
	}
	return honoured
}

// wholeDays looks whether a list that is grouped by days leaves days out: nothing that it
// doesn't show may be there before its first day and after its last.
func (e *exam) wholeDays(pair [2]string, days []span) {
	if !e.first.grouped {
		return
	}
	first, last := days[0].from, days[0].from
	for _, d := range days {
		first, last = min(first, d.from), max(last, d.from)
	}
	shift := func(day string, n int) string {
		t, err := time.Parse(time.DateOnly, day)
		if err != nil {
			return day
		}
		return t.AddDate(0, 0, n).Format(time.DateOnly)
	}
	for _, w := range []span{{longAgo.from, shift(first, -1)}, {shift(last, 1), "2199-12-31"}} {
		l, o := e.list(with(pair[0], w.from, pair[1], w.to))
		if !o.ok() || flagged(o) || slices.ContainsFunc(marks(l.rows, e.id), func(m string) bool { return !slices.Contains(e.marks, m) }) {
			return
		}
	}
	e.complete = true
}
