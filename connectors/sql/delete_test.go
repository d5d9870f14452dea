package sql

import (
	"strings"
	"testing"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// A row is deleted only where the table's settings say so, and only as it was when that
// was decided.
func TestDelete(t *testing.T) {
	both(t, marked, func(t *testing.T, h *house) {
		h.exec("insert into guests (name, phone, version) values ('Ada', '1', 1), ('Bob', '2', 4), ('Eve', '3', 1), ('VIP', '4', 1)")
		table := guests()
		table.Only = "name <> 'VIP'"
		remove := func(c *Conn, id string, version record.Version, before record.Fields) error {
			_, err := c.Apply(t.Context(), record.Change{Op: record.Delete, Ref: ref(id), Version: version, Before: before, Fields: record.Fields{}})
			return err
		}
		c := h.open(map[record.Kind]Table{"guests": table})
		d, err := c.Describe(t.Context())
		if err != nil || d.Kinds["guests"].Delete {
			t.Errorf("described as one whose rows can be deleted: %v", err)
		}
		wantClass(t, remove(c, "1", "1", nil), connectors.Unsupported)

		table.MayDelete = true
		c = h.open(map[record.Kind]Table{"guests": table})
		if d, err := c.Describe(t.Context()); err != nil || !d.Kinds["guests"].Delete {
			t.Errorf("described as one whose rows can't be deleted: %v", err)
		}
		wantClass(t, remove(c, "1", "9", nil), connectors.Stale)
		wantClass(t, remove(c, "3", "", fields("name", "Eva")), connectors.Stale)
		wantClass(t, remove(c, "4", "1", nil), connectors.OutOfScope)
		wantClass(t, remove(c, "9", "1", nil), connectors.NotFound)
		if got := h.one("select count(*) from guests"); got != "4" {
			t.Fatalf("%s rows, want all four", got)
		}
		if err := remove(c, "2", "4", nil); err != nil {
			t.Fatal(err)
		}
		if err := remove(c, "3", "", fields("name", "Eve", "phone", "3")); err != nil {
			t.Fatal(err)
		}
		if got := h.one("select count(*) from guests where name in ('Ada', 'VIP')"); got != "2" {
			t.Errorf("%s of the others are there, want two", got)
		}
		wantClass(t, remove(c, "2", "4", nil), connectors.NotFound)
	})
}

// A row that others refer to is refused by the database, and stays.
func TestDeleteOfWhatIsReferredTo(t *testing.T) {
	both(t, marked+`; create table stays (id {id}, guest_id integer not null references guests (id))`, func(t *testing.T, h *house) {
		h.exec("insert into guests (name) values ('Ada')")
		h.exec("insert into stays (guest_id) values (1)")
		table := guests()
		table.MayDelete = true
		c := h.open(map[record.Kind]Table{"guests": table})
		_, err := c.Apply(t.Context(), record.Change{Op: record.Delete, Ref: ref("1"), Version: "1", Fields: record.Fields{}})
		wantClass(t, err, connectors.Rejected)
		if got := h.one("select count(*) from guests"); got != "1" {
			t.Errorf("%s rows, want one", got)
		}
	})
}

// The right to delete is asked for where rows may be deleted, and only there.
func TestGrantOfDelete(t *testing.T) {
	h := newHouse(t, "postgres", marked)
	for _, may := range []bool{false, true} {
		table := guests()
		table.MayDelete = may
		grants, err := h.open(map[record.Kind]Table{"guests": table}).Grants(t.Context(), "guests", []string{"name"}, []string{"name"}, []string{"name"})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(strings.Join(grants, "\n"), "grant delete on"); got != may {
			t.Errorf("may delete: %t: got %q", may, grants)
		}
	}
}
