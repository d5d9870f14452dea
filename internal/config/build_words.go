package config

import (
	"slices"
	"strings"
)

// tables are the words of the enum fields, under the field's name in the job or
// under tables.
func (j *jobBuilder) tables() {
	names, _ := tags(typeJob)
	for _, key := range j.all.keys(j.at...) {
		if slices.Contains(names, key) || strings.HasSuffix(key, "_may") {
			continue
		}
		var rows rawWords
		if v, ok := j.raw.Rest[key]; ok && into(v, &rows) == nil {
			j.words(key, rows, j.path(key))
		}
	}
	for _, key := range j.all.keys(j.path("tables")...) {
		if _, twice := j.job.Table(key); twice {
			j.bad(j.path("tables", key), "stands in the job itself too, in line %d: delete one", j.all.line(j.path(key)...))
			continue
		}
		j.words(key, j.raw.Tables[key], j.path("tables", key))
	}
}

// wordy reports whether a type can have a table of words.
func wordy(as As) bool {
	return as == AsEnum || as == AsBool || as == AsLanguage || as == AsCountry
}

func (j *jobBuilder) words(field string, raw rawWords, at []string) {
	if !j.mapped(field, at) {
		return
	}
	if f, ok := j.job.Field(field); ok && !wordy(f.As) {
		j.bad(at, "a table of words is for a field as: enum, bool, language or country, and %s is a %s", field, f.As)
		return
	}
	table := WordTable{Name: field, Line: j.all.line(at...)}
	for _, word := range j.all.keys(at...) {
		where := under(at, word)
		row := WordRow{Word: word, Line: j.all.line(where...)}
		for _, name := range j.all.keys(where...) {
			words := raw[word][name]
			switch {
			case !j.ours(name, under(where, name)):
			case len(words) == 0 && !j.wasThere(under(where, name)):
				j.bad(under(where, name), "an empty list: delete it, if %s has no such word", name)
			case name == j.job.Left.System:
				row.Left = words
			default:
				row.Right = words
			}
		}
		if len(row.Left)+len(row.Right) == 0 && !j.wasBelow(where) && !j.wasThere(where) {
			j.bad(where, "neither system has a word for it")
		}
		table.Rows = append(table.Rows, row)
	}
	if len(table.Rows) == 0 {
		j.missing(at, "no words in it")
	}
	j.job.Tables = append(j.job.Tables, table)
}

// may reads <system>_may: the words of the status that a side may move to.
func (j *jobBuilder) may() {
	for _, side := range j.sides() {
		key := side.System + "_may"
		v, ok := j.raw.Rest[key]
		if !ok {
			continue
		}
		at := j.path(key)
		var words words
		if err := into(v, &words); err != nil {
			j.bad(at, "must be a list of words")
			continue
		}
		table, ok := j.statusTable()
		if !ok {
			j.missing(j.path("status"), "which words does %s mean? There is no table status in this job", key)
			continue
		}
		var known []string
		for _, row := range table.Rows {
			known = append(known, row.Word)
		}
		for _, word := range words {
			if !slices.Contains(known, word) {
				j.bad(at, "%s is not one of our words for %s%s", shown(word), table.Name, didYouMean(word, known))
			}
		}
		side.May = append([]string{}, words...)
	}
}

// statusTable is the table of the status, or the only one there is.
func (j *jobBuilder) statusTable() (WordTable, bool) {
	if t, ok := j.job.Table("status"); ok {
		return t, true
	}
	if len(j.job.Tables) == 1 {
		return j.job.Tables[0], true
	}
	return WordTable{}, false
}

func (j *jobBuilder) notAValue() {
	at := j.path("not_a_value")
	for _, field := range j.all.keys(at...) {
		where := under(at, field)
		if !slices.Contains(texts(types()), field) && !j.mapped(field, where) {
			continue
		}
		if slices.ContainsFunc(j.raw.NotAValue[field], func(p string) bool { return strings.Trim(p, "* ") == "" }) {
			j.bad(where, "a pattern that fits every value")
		}
		j.job.NotAValue = append(j.job.NotAValue, NotAValue{
			Field: field, Line: j.all.line(where...), Patterns: j.raw.NotAValue[field],
		})
	}
}
