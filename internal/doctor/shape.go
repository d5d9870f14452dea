package doctor

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"nightporter/connectors/jsonx"
)

// row is one record of a list, decoded.
type row = map[string]any

// list is the rows of an answer, and what stands around them.
type list struct {
	items   string // path of the rows, as a preset writes it; empty: none was found
	lines   bool
	grouped bool // under days
	rows    []row
	longest int // rows of the fullest group
	several bool
	about   map[string]any // what stands beside the rows: path -> text, number or truth value
}

// usual are the names under which APIs put the rows of a list.
var usual = []string{"data", "items", "results", "list", "collection", "records", "rows", "entries", "content", "value"}

// readList finds the rows of an answer. names are further names that they may have.
func readList(o observation, names ...string) list {
	if o.lines != nil {
		rows, ok := objects(o.lines)
		if !ok {
			return list{}
		}
		return list{items: ".", lines: true, rows: rows, longest: len(rows), about: map[string]any{}}
	}
	if array, ok := o.body.([]any); ok {
		return bare(array)
	}
	top, ok := o.body.(map[string]any)
	if !ok {
		return list{}
	}
	l := list{about: map[string]any{}}
	var found []list
	l.walk(nil, top, &found)
	return l.choose(found, append(slices.Clone(names), usual...))
}

// bare is a list without anything around it: rows, or days with rows.
func bare(array []any) list {
	l := list{items: ".", about: map[string]any{}}
	rows, ok := objects(array)
	if !ok {
		return list{}
	}
	if name := groupedBy(rows); name != "" {
		l.items, l.grouped = jsonx.Path{jsonx.Any, name}.String(), true
		for _, r := range rows {
			l.add(r[name])
		}
		return l
	}
	l.rows, l.longest = rows, len(rows)
	return l
}

// add takes the rows of one group over; it reports whether they are rows.
func (l *list) add(group any) bool {
	array, ok := group.([]any)
	if !ok {
		return false
	}
	rows, ok := objects(array)
	l.rows, l.longest = append(l.rows, rows...), max(l.longest, len(rows))
	return ok
}

// objects is the elements of an array, if all are objects.
func objects(array []any) ([]row, bool) {
	rows := make([]row, 0, len(array))
	for _, e := range array {
		r, ok := e.(map[string]any)
		if !ok {
			return nil, false
		}
		rows = append(rows, r)
	}
	return rows, true
}

// groupedBy is the name of the rows within groups that are all a day and a list of
// records and have nothing else; empty: these are no groups.
func groupedBy(groups []row) string {
	name := ""
	for _, g := range groups {
		day, inner := false, ""
		for key, v := range g {
			if text, ok := v.(string); ok && isDay(text) {
				day = true
			} else if array, ok := v.([]any); ok && inner == "" {
				if _, ok := objects(array); ok {
					inner = key
				}
			}
		}
		if !day || inner == "" || len(g) > 3 || name != "" && name != inner {
			return ""
		}
		name = inner
	}
	return name
}

func isDay(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return err == nil
}

// mostDepth is how deep an envelope is looked into.
const mostDepth = 3

func (l *list) walk(at jsonx.Path, m map[string]any, found *[]list) {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		path := append(slices.Clone(at), name)
		switch v := m[name].(type) {
		case []any:
			if rows, ok := objects(v); ok {
				*found = append(*found, list{items: path.String(), rows: rows, longest: len(rows)})
			}
		case map[string]any:
			if g, ok := byDay(path, v); ok {
				*found = append(*found, g)
			} else if len(path) < mostDepth {
				l.walk(path, v, found)
			}
		default:
			l.about[path.String()] = v
		}
	}
}

// byDay is rows that are grouped in an object under their days.
func byDay(at jsonx.Path, m map[string]any) (list, bool) {
	g := list{items: append(slices.Clone(at), jsonx.Any).String(), grouped: true}
	for _, day := range slices.Sorted(maps.Keys(m)) { // so that the order of the rows is the same each time
		if !isDay(day) || !g.add(m[day]) {
			return list{}, false
		}
	}
	return g, len(m) > 0
}

// choose takes the list that is under a name that lists have.
func (l *list) choose(found []list, names []string) list {
	last := func(f list) string {
		parts := strings.Split(strings.TrimSuffix(f.items, ".*"), ".")
		return parts[len(parts)-1]
	}
	for _, name := range names {
		for _, f := range found {
			if last(f) == name {
				f.about, f.several = l.about, false
				return f
			}
		}
	}
	if len(found) == 0 {
		return list{about: l.about}
	}
	f := found[0]
	f.about, f.several = l.about, len(found) > 1
	return f
}

// text is a scalar as text; empty for what is none.
func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}

// at is what a row holds at a dotted path.
func at(r row, path string) any {
	p, err := jsonx.ParsePath(path)
	if err != nil {
		return nil
	}
	v, _ := jsonx.At(r, p)
	return v
}

// shows reports whether a row has a dotted path, if with nothing there.
func shows(r row, path string) bool {
	p, err := jsonx.ParsePath(path)
	if err != nil {
		return false
	}
	_, shown := jsonx.At(r, p)
	return shown
}

// marks tell rows apart: by their ids or, without one, by all that they show.
func marks(rows []row, id string) []string {
	out := make([]string, len(rows))
	for i, r := range rows {
		if id != "" {
			out[i] = text(at(r, id))
		}
		if out[i] == "" {
			b, err := json.Marshal(r)
			if err == nil {
				out[i] = string(b)
			}
		}
	}
	return out
}

// begins reports whether two stretches of rows are the same as far as both go, and both
// go somewhere.
func begins(a, b []string) bool {
	n := min(len(a), len(b))
	return n > 0 && slices.Equal(a[:n], b[:n])
}

// apart reports whether no row of a is among b, and there are any.
func apart(a, b []string) bool {
	return len(a) > 0 && !slices.ContainsFunc(a, func(m string) bool { return slices.Contains(b, m) })
}

// lastName is the last name of a dotted path.
func lastName(path string) string {
	p, err := jsonx.ParsePath(path)
	if err != nil || len(p) == 0 {
		return ""
	}
	return p[len(p)-1]
}

// named is the paths of about whose last name matches, sorted.
func (l list) named(re *regexp.Regexp) []string {
	var out []string
	for _, path := range slices.Sorted(maps.Keys(l.about)) {
		if re.MatchString(lastName(path)) {
			out = append(out, path)
		}
	}
	return out
}

var (
	totalName = regexp.MustCompile(`(?i)(total|count)`)
	moreName  = regexp.MustCompile(`(?i)(has_?(more|next)|^more)`)
	nextName  = regexp.MustCompile(`(?i)(next|cursor|token|key|after)`)
	flagName  = regexp.MustCompile(`(?i)^(ok|success|succeeded)$`)
)
