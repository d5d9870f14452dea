package sql

import (
	"testing"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// A database takes a text for the number that it spells, and some columns take small letters for capitals. The row
// that comes bears its own id. Where that may be several rows, just the one is meant that bears the id, or none.
func TestOutsideAnIDThatIsSpeltAnotherWay(t *testing.T) {
	h := newHouse(t, "sqlite", `create table guests (id integer primary key, name text);
		create table rooms (code text collate nocase not null, name text);
		create unique index room_code on rooms (code collate binary);
		insert into guests values (3, 'a');
		insert into rooms values ('AB', 'a'), ('ab', 'b'), ('C', 'c')`)
	c := h.open(map[record.Kind]Table{"guests": {Table: "guests", Key: []string{"id"}}, "rooms": {Table: "rooms", Key: []string{"code"}}})
	for _, tt := range []struct {
		kind    record.Kind
		id, own string
		class   connectors.ErrorClass
	}{
		{"guests", "3", "3", ""},
		{"guests", "03", "3", ""},
		{"guests", "3.0", "3", ""},
		{"guests", "3x", "", connectors.NotFound},
		{"rooms", "c", "C", ""},
		{"rooms", "ab", "ab", ""},
		{"rooms", "AB", "AB", ""},
		{"rooms", "Ab", "", connectors.Rejected},
	} {
		rec, err := c.Get(t.Context(), record.Ref{Kind: tt.kind, ID: tt.id}, connectors.Scope{})
		if connectors.ClassOf(err) != tt.class || rec.Ref.ID != tt.own {
			t.Errorf("%s:%s is %q (%v), want %q (%s)", tt.kind, tt.id, rec.Ref.ID, err, tt.own, tt.class)
		}
	}
}
