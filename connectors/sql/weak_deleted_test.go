package sql

import (
	"testing"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// A row that says that it was deleted is listed to say so, and not there however else it is
// read. A column that can't say it is refused.
func TestWeakDeletedRowsAreNotThere(t *testing.T) {
	schema := `create table guests (id {id}, name text, gone_at {ts}, hidden boolean);
		insert into guests (name, gone_at, hidden) values ('Ada', null, false), ('Bea', '2031-05-16 10:00:00', true), ('Cleo', null, null)`
	both(t, schema, func(t *testing.T, h *house) {
		for _, column := range []string{"gone_at", "hidden"} {
			t.Run(column, func(t *testing.T) {
				c := h.open(map[record.Kind]Table{"guests": {Table: "guests", Key: []string{"id"}, Deleted: column, Fields: []string{"name"}}})
				page, err := c.Fetch(t.Context(), connectors.Query{Kind: "guests", Fields: []string{"name"}}, "")
				if err != nil || len(page.Items) != 3 {
					t.Fatalf("got %d rows, %v, want 3", len(page.Items), err)
				}
				for i, class := range []connectors.ErrorClass{"", connectors.NotFound, ""} {
					item := page.Items[i]
					_, err := page.Read(item)
					wantClass(t, err, class)
					_, err = c.Get(t.Context(), record.Ref{Kind: "guests", ID: item.ID}, connectors.Scope{})
					wantClass(t, err, class)
				}
				for name, want := range map[string]int{"Ada": 1, "Bea": 0, "Cleo": 1} {
					found, err := c.Find(t.Context(), "guests", fields("name", name), connectors.Scope{})
					if err != nil || len(found) != want {
						t.Errorf("found %v, %v, want %d of %s", found, err, want, name)
					}
				}
			})
		}
		// What we write to such a row is answered all the same.
		c := h.open(map[record.Kind]Table{"guests": {Table: "guests", Key: []string{"id"}, Deleted: "hidden", Fields: []string{"name", "hidden"}}})
		ref := record.Ref{Kind: "guests", ID: "1"}
		res, err := c.Apply(t.Context(), record.Change{
			Op: record.Update, Ref: ref, Fields: record.Fields{"hidden": record.OfBool(true)}, Before: record.Fields{"hidden": record.OfBool(false)},
		})
		if err != nil || res.Ref != ref {
			t.Errorf("hidden by us: got %+v, %v", res, err)
		}
		_, err = c.Get(t.Context(), ref, connectors.Scope{})
		wantClass(t, err, connectors.NotFound)
	})
}

// What can't say that a row was deleted is no such column.
func TestWeakDeletedNeedsAColumnThatSaysIt(t *testing.T) {
	h := newHouse(t, "postgres", `create table guests (id {id}, name text, notes jsonb)`)
	c := h.open(map[record.Kind]Table{"guests": {Table: "guests", Key: []string{"id"}, Deleted: "notes"}})
	_, err := c.Fetch(t.Context(), connectors.Query{Kind: "guests"}, "")
	wantClass(t, err, connectors.Malformed)
}
