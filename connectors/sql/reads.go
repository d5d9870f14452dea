package sql

import (
	"strings"

	"nightporter/sync/record"
)

// reading says what value is made of a column's text; "" where it stays as it is.
func (f form) reading() string {
	switch f {
	case asNumber:
		return "number"
	case asBool:
		return "yes or no"
	case asInstant:
		return "instant"
	case asLocal:
		return "local time"
	case asJSON:
		return "JSON"
	case asList:
		return "list"
	case asText, asDate, asBytes:
	}
	return ""
}

// reads says how values are made of the columns that are described. A query computes all of its columns: with
// another query, the same row may show other values that nobody has entered.
func (t *table) reads() map[string]string {
	query := ""
	if t.Query != "" {
		query = record.DigestOf("query", []byte(strings.Join(strings.Fields(t.Query), " "))).String()[:16]
	}
	out := map[string]string{}
	for _, name := range t.described() {
		out[name] = t.read.columns[name].form.reading()
		if query != "" {
			out[name] += " of query " + query
		}
	}
	return out
}
