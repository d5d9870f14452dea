package rest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"nightporter/connectors"
	"nightporter/connectors/jsonx"
	"nightporter/sync/record"
)

// Finished says when a record is all that it will be: one that is there before some of
// its fields are, such as a call before its transcript.
type Finished struct {
	Fields []string `yaml:"fields"`  // paths that come later; null and an empty text mean: not yet
	When   Values   `yaml:"when"`    // the records that have them, by all of these that they show; of others they are not asked for
	Unless Values   `yaml:"unless"`  // the records that have none, by any of these
	GoesOn Values   `yaml:"goes_on"` // the records that are not over yet, by any of these
	Failed Values   `yaml:"failed"`  // the records that will never be what they should, by any of these
	Why    string   `yaml:"why"`     // path of what went wrong with one that failed

	Since  Moment        `yaml:"since"`  // from when they are waited for; one that isn't shown is the time of creation, or when it was first seen
	Within time.Duration `yaml:"within"` // for how long; default 24h. Then the record counts as finished as it is
}

// Values are paths and what they may hold, in small or large letters.
type Values map[string][]string

// text is all that it says, as one text.
func (f *Finished) text() string { return fmt.Sprintf("%+v", *f) } // maps are printed in order

// finished is a Finished made ready.
type finished struct {
	fields []path
	when   []condition
	unless []condition
	goesOn []condition
	failed []condition
	why    jsonx.Path

	since  jsonx.Path
	clock  clock
	within time.Duration
}

type condition struct {
	path   jsonx.Path
	values []string
}

func (c *checker) finished(k *kind) {
	f := k.Finished
	if f == nil {
		return
	}
	if len(f.Fields) == 0 && len(f.GoesOn) == 0 && len(f.Failed) == 0 {
		c.wrong("finished names neither fields that come later nor what goes_on")
	}
	if k.Get == nil {
		c.wrong("finished needs get: what comes later is read by id")
	}
	k.finished = &finished{
		when: c.conditions("finished.when", f.When), unless: c.conditions("finished.unless", f.Unless),
		goesOn: c.conditions("finished.goes_on", f.GoesOn), failed: c.conditions("finished.failed", f.Failed),
		why:   c.path("finished.why", f.Why, ""),
		since: c.path("finished.since.path", f.Since.Path, ""), clock: c.clock("finished.since.format", f.Since.Format, f.Since.Zone),
		within: above(f.Within, 24*time.Hour),
	}
	for _, name := range f.Fields {
		k.finished.fields = append(k.finished.fields, path{name, c.path("finished.fields", name, "")})
	}
}

func (c *checker) conditions(key string, v Values) []condition {
	var out []condition
	for name, values := range v {
		if len(values) == 0 {
			c.wrong("%s.%s names no value", key, name)
		}
		out = append(out, condition{c.path(key, name, ""), values})
	}
	return out
}

// fits reports whether a decoded record holds one of the values.
func (c condition) fits(item any) bool {
	v, _ := jsonx.At(item, c.path)
	text := idOf(v)
	if b, ok := v.(bool); ok {
		text = strconv.FormatBool(b)
	}
	return slices.ContainsFunc(c.values, func(want string) bool { return strings.EqualFold(want, text) })
}

func fitsAny(item any, some []condition) bool {
	return slices.ContainsFunc(some, func(c condition) bool { return c.fits(item) })
}

// mayFitAll takes a record that doesn't show a path for one that may hold anything there:
// waiting in vain costs a few requests, and not waiting what was to come.
func mayFitAll(item any, all []condition) bool {
	return !slices.ContainsFunc(all, func(c condition) bool {
		_, shown := jsonx.At(item, c.path)
		return shown && !c.fits(item)
	})
}

// failure is why a decoded record will never be what it should, "" where it may be.
func (f *finished) failure(item any) string {
	if !fitsAny(item, f.failed) {
		return ""
	}
	if f.why != nil {
		v, _ := jsonx.At(item, f.why)
		if text := idOf(v); text != "" {
			return text
		}
	}
	return "it says that it failed, and not why"
}

// goes reports whether a decoded record is not over yet.
func (f *finished) goes(item any) bool { return fitsAny(item, f.goesOn) }

// has reports whether a decoded record has what comes later, or will have it.
func (f *finished) has(item any) bool {
	return !f.goes(item) && mayFitAll(item, f.when) && !fitsAny(item, f.unless)
}

// comesLater reports whether a path comes later than its record.
func (k *kind) comesLater(name string) bool {
	return k.finished != nil && slices.ContainsFunc(k.finished.fields, func(p path) bool { return p.meets(name) })
}

// mayShow reports whether a record has a path, or will have it; one that doesn't come
// later every record has.
func (k *kind) mayShow(item any, name string) bool {
	return !k.comesLater(name) || k.finished.has(item)
}

// ofPart reports whether an error may be of what was read alone, and not of the system or
// of the key.
func ofPart(err error) bool {
	return slices.Contains([]connectors.ErrorClass{
		connectors.Transient, connectors.Forbidden, connectors.Rejected, connectors.Malformed,
	}, connectors.ClassOf(err))
}

// unfinished is what a decoded record lacks of which fields shows nothing. What is empty
// there is taken out of them: it is not there yet.
func (k *kind) unfinished(item any, want []path, fields record.Fields) *record.Unfinished {
	f := k.finished
	if f == nil {
		return nil
	}
	u := &record.Unfinished{Since: moment(item, f.since, f.clock), Within: f.within}
	if u.Since.IsZero() {
		u.Since = moment(item, k.created, k.createdAt)
	}
	if f.has(item) {
		u.Lacks = f.lacks(want, fields)
	}
	for _, name := range u.Lacks {
		delete(fields, name)
	}
	if len(u.Lacks) == 0 && !f.goes(item) {
		if u.Failed = f.failure(item); u.Failed == "" {
			return nil
		}
	}
	return u
}

// lacks is the paths that are wanted and come later of which a record shows nothing.
func (f *finished) lacks(want []path, fields record.Fields) (lacks []string) {
	for _, p := range f.fields {
		for _, name := range p.among(want) {
			if f := partOf(fields, name, p.name); (!f.Observed() || f.Empty()) && !slices.Contains(lacks, name) {
				lacks = append(lacks, name)
			}
		}
	}
	return lacks
}

// meets reports whether what is said of a path is about another one: what is said of a
// parent is about all that is in it, and a parent lacks what is said of a part of it.
func (p path) meets(name string) bool {
	return record.Under(name, p.name) || record.Under(p.name, name)
}

// among is those of the paths that are wanted which it meets; itself where all are.
func (p path) among(want []path) (names []string) {
	if want == nil {
		return []string{p.name}
	}
	for _, w := range want {
		if p.meets(w.name) {
			names = append(names, w.name)
		}
	}
	return names
}

// partOf is what a record shows at a path, or of what is there at the path below it that
// comes later.
func partOf(fields record.Fields, name, late string) record.Value {
	v := fields[name]
	if rest, below := strings.CutPrefix(late, name+"."); below {
		for part := range strings.SplitSeq(rest, ".") {
			if v.Type() != record.Map {
				break
			}
			v = v.Map()[part]
		}
	}
	return v
}
