package sql

import (
	"testing"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// A column that is renamed or dropped while the connector is open is an error of
// every call, and never its own name as a value.
func TestColumnThatIsGone(t *testing.T) {
	both(t, "create table guests (id {id}, name text, \"odd`name\" text);"+` insert into guests (name) values ('Ada')`, func(t *testing.T, h *house) {
		c := h.open(map[record.Kind]Table{"guests": {Table: "guests", Key: []string{"id"}, Fields: []string{"name", "odd`name"}}})
		_, recs, _, _ := scan(t, c, connectors.Query{Kind: "guests", Fields: []string{"name", "odd`name"}}, "")
		if len(recs) != 1 || recs[0].Fields["name"].Text() != "Ada" {
			t.Fatalf("got %v", recs)
		}
		h.exec("alter table guests rename column name to called")
		_, err := c.Fetch(t.Context(), connectors.Query{Kind: "guests", Fields: []string{"name"}}, "")
		wantClass(t, err, connectors.Malformed)
		got, err := c.Get(t.Context(), recs[0].Ref, connectors.Scope{})
		wantClass(t, err, connectors.Malformed)
		if len(got.Fields) > 0 {
			t.Errorf("get showed %v", got.Fields)
		}
		found, err := c.Find(t.Context(), "guests", fields("name", "name"), connectors.Scope{})
		wantClass(t, err, connectors.Malformed)
		if len(found) > 0 {
			t.Errorf("found %v", found)
		}
		h.exec("alter table guests rename column called to name")
		if _, recs, _, _ = scan(t, c, connectors.Query{Kind: "guests", Fields: []string{"name"}}, ""); len(recs) != 1 || recs[0].Fields["name"].Text() != "Ada" {
			t.Errorf("there again: got %v", recs)
		}
	})
}
