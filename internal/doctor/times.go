package doctor

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
)

// form is how a field shows times.
type form struct {
	field  string // as rows name it
	path   string // of the time itself, where the field is an object
	format string // as a preset names it
	zoned  bool   // the value names its zone, or needs none
}

// value is the form as keys of a preset.
func (f form) value() map[string]any {
	return map[string]any{"path": f.path, "format": f.format}
}

const spaced = "YYYY-MM-DD hh:mm:ss"

var layouts = map[string]string{spaced: time.DateTime, "date": time.DateOnly, "DD/MM/YYYY": "02/01/2006", "MM/DD/YYYY": "01/02/2006"}

// formatOf is the format of a time; empty: of none that can be told.
func formatOf(v any) string {
	t := text(v)
	if _, number := v.(json.Number); number || t != "" && strings.Trim(t, "0123456789.") == "" {
		n, err := strconv.ParseFloat(t, 64)
		switch {
		case err != nil || n < 1e8 || n >= 1e14:
			return ""
		case n < 1e11:
			return "epoch_s"
		}
		return "epoch_ms"
	}
	if _, err := time.Parse(time.RFC3339Nano, t); err == nil {
		return "rfc3339"
	}
	for _, format := range []string{spaced, "date"} {
		if _, err := time.Parse(layouts[format], t); err == nil {
			return format
		}
	}
	return ""
}

// parse reads a time of a format, in UTC where it names no zone.
func parse(format string, v any) (time.Time, bool) {
	t := text(v)
	switch format {
	case "epoch_s", "epoch_ms":
		n, err := strconv.ParseFloat(t, 64)
		if format == "epoch_s" {
			n *= 1000
		}
		return time.UnixMilli(int64(n)), err == nil
	case "rfc3339":
		at, err := time.Parse(time.RFC3339Nano, t)
		return at, err == nil
	}
	at, err := time.Parse(layouts[format], t)
	return at, err == nil
}

// write is a time in a format, as the connector asks for it.
func write(format string, t time.Time) string {
	t = t.UTC()
	switch format {
	case "epoch_s":
		return strconv.FormatInt(t.Unix(), 10)
	case "epoch_ms":
		return strconv.FormatInt(t.UnixMilli(), 10)
	case "rfc3339":
		return t.Format(time.RFC3339Nano)
	}
	return t.Format(layouts[format])
}

var (
	changedNames = []string{"updated_at", "modified_at", "changed_at", "updatedAt", "modifiedAt", "last_modified", "lastModified", "updated_on", "modified_on", "date_updated", "date_modified", "updated", "modified"}
	createdNames = []string{"created_at", "createdAt", "created_on", "inserted_at", "date_created", "created"}
)

// stamp is a time that a system sets by itself.
type stamp struct {
	key, own, what string
	names          []string // under which it is looked for, the preset's own first
}

func (e *exam) usualStamps() []stamp {
	all := []stamp{
		{"changed", e.k.Changed.Path, "the time of the last change", changedNames},
		{"created", e.k.Created.Path, "the time of creation", createdNames},
	}
	for i, x := range all {
		if x.own != "" {
			all[i].names = compact(append([]string{x.own}, x.names...))
		}
	}
	return all
}

// stamps finds the times of change and of creation. A name with nothing under it is no sign
// that there is none: many systems fill it at the first edit.
func (e *exam) stamps() {
	e.times = map[string]form{}
	rows := e.first.rows
	for _, x := range e.usualStamps() {
		f, ok, odd := timesUnder(rows, x.names)
		blank := blankUnder(rows, x.names)
		switch {
		case ok && (blank == "" || blank != x.own):
			e.times[x.key] = f
			e.say(x.key, f.value(), Likely, "all records show a time there, and its name says that it is %s%s", x.what, zoneWord(f))
			if !f.zoned {
				e.say(x.key+".zone", nil, NotKnown, "the times name no zone: UTC is assumed; if they are of the house's clock, set it")
			}
		case odd != "":
			e.say(x.key, nil, NotKnown, "%s is there, and not a time in a form that can be told", odd)
		case blank != "":
			e.say(x.key, nil, NotKnown, "%s is there, and empty in each record: it may be filled at the first edit", blank)
		case len(rows) < few:
			e.say(x.key, nil, NotKnown, "no record shows %s under a usual name, and they are too few to tell", x.what)
		default:
			e.say(x.key, nil, Known, "no record shows %s under a usual name", x.what)
		}
	}
}

// unlisted takes back that there is no time of change or of creation where a read by id
// doesn't bear it out: a list may be a summary.
func (e *exam) unlisted() {
	for _, x := range e.usualStamps() {
		if f, ok := e.b.has(e.name, x.key); !ok || f.Confidence != Known || f.Value != nil {
			continue
		}
		i := slices.IndexFunc(x.names, func(name string) bool { return shows(e.alone, name) })
		switch {
		case e.alone == nil:
			e.say(x.key, nil, NotKnown, "the list doesn't show %s under a usual name, and no record was read by its id", x.what)
		case i >= 0:
			e.say(x.key, nil, NotKnown, "a read by id shows %s, and the list doesn't", x.names[i])
		}
	}
}

func zoneWord(f form) string {
	if f.zoned {
		return ""
	}
	return "; it names no zone"
}

// timesUnder is the form of the first field of these names that all rows show. odd is one
// that is there and can't be read.
func timesUnder(rows []row, names []string) (f form, ok bool, odd string) {
	for _, name := range names {
		shown := slices.ContainsFunc(rows, func(r row) bool { return at(r, name) != nil })
		if !shown {
			continue
		}
		for _, path := range append([]string{name}, below(rows[0], name)...) {
			if format := commonFormat(rows, path); format != "" {
				return form{name, path, format, format != spaced && format != "date"}, true, ""
			}
		}
		if odd == "" {
			odd = name
		}
	}
	return form{}, false, odd
}

// blankUnder is the first of these names that rows show and that holds nothing in any of them.
func blankUnder(rows []row, names []string) string {
	for _, name := range names {
		shown := slices.ContainsFunc(rows, func(r row) bool { return shows(r, name) })
		if shown && !slices.ContainsFunc(rows, func(r row) bool { return at(r, name) != nil }) {
			return name
		}
	}
	return ""
}

// below is the paths inside an object that a row holds.
func below(r row, name string) []string {
	inner, ok := at(r, name).(map[string]any)
	if !ok {
		return nil
	}
	var out []string
	for key := range inner {
		out = append(out, name+"."+key)
	}
	slices.Sort(out)
	return out
}

// commonFormat is the format that the values of all rows have.
func commonFormat(rows []row, path string) string {
	format := ""
	for _, r := range rows {
		f := formatOf(at(r, path))
		if f == "" || format != "" && f != format {
			return ""
		}
		format = f
	}
	return format
}

// days says how the days of a stay are written, where they are not as usual.
func (e *exam) days() {
	if len(e.k.WindowFields) != 2 {
		return
	}
	format, sure := dayFormat(e.first.rows, e.k.WindowFields)
	switch {
	case format == "":
		e.say("fields", nil, NotKnown, "%s and %s are not days in a form that can be told, or are not there", e.k.WindowFields[0], e.k.WindowFields[1])
	case !sure:
		e.say("fields", nil, NotKnown, "the days are like DD/MM/YYYY or MM/DD/YYYY: no record has a day above the 12th")
	case format == "date":
		e.say("fields", nil, Known, "days are written YYYY-MM-DD, as usual")
	default:
		fields := map[string]any{}
		own := []string{e.id, e.times["changed"].field, e.times["created"].field}
		for _, r := range e.first.rows {
			for key := range r {
				if !slices.Contains(own, key) {
					fields[strings.ReplaceAll(key, ".", `\.`)] = map[string]any{}
				}
			}
		}
		for _, p := range e.k.WindowFields {
			fields[p] = map[string]any{"type": "date", "format": format}
		}
		e.say("fields", fields, Likely, "days are written in this form, and where fields are given there are no others: these are all that were seen; add what is missing")
	}
}

// dayFormat is the form of the days under these paths in all rows, and whether it is the
// only one that fits.
func dayFormat(rows []row, paths []string) (format string, sure bool) {
	fits := map[string]bool{"date": true, "DD/MM/YYYY": true, "MM/DD/YYYY": true, "rfc3339": true, "epoch_s": true, "epoch_ms": true}
	n := 0
	for _, r := range rows {
		for _, p := range paths {
			v := at(r, p)
			if text(v) == "" {
				continue
			}
			n++
			for f := range fits {
				if !isDayOf(f, v) {
					delete(fits, f)
				}
			}
		}
	}
	if n == 0 || len(fits) == 0 {
		return "", false
	}
	for f := range fits {
		format = f
	}
	return format, len(fits) == 1
}

// isDayOf reports whether a value is a day in a format: midnight, of those that have hours.
func isDayOf(format string, v any) bool {
	if format == "epoch_s" || format == "epoch_ms" {
		if formatOf(v) != format {
			return false
		}
	}
	t, ok := parse(format, v)
	return ok && t.Equal(t.Truncate(24*time.Hour))
}
