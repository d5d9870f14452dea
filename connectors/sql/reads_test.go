package sql

import (
	"testing"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// A query that computes a column in another way is another reading of it, however it is spaced.
func TestReadingOfAQuery(t *testing.T) {
	both(t, "create table guests (id integer primary key, name text, age integer);", func(t *testing.T, h *house) {
		of := func(query string) connectors.Kind {
			c := h.open(map[record.Kind]Table{"guests": {Table: "guests", Query: query, Key: []string{"id"}}})
			d, err := c.Describe(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return d.Kinds["guests"]
		}
		table, query := of(""), of("select id, name, age from guests")
		if table.Reading("name") != "" {
			t.Errorf("a text is read as %q", table.Reading("name"))
		}
		if query.Reading("name") == table.Reading("name") || of("select id, upper(name) as name, age from guests").Reading("name") == query.Reading("name") {
			t.Error("another query is the same reading")
		}
		if of("select id, name,\n  age from guests").Reading("name") != query.Reading("name") {
			t.Error("spaces are another reading")
		}
	})
}

// Columns whose text is made another value of say so.
func TestReadingOfColumns(t *testing.T) {
	seen := map[string]form{}
	for _, f := range []form{asText, asNumber, asBool, asInstant, asLocal, asJSON, asList} {
		if other, twice := seen[f.reading()]; twice {
			t.Errorf("%d and %d say the same", f, other)
		}
		seen[f.reading()] = f
	}
}
