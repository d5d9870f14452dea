package sql

import (
	"testing"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// A row outside of the condition `only` is known to be there by our mark or by its values, and nothing
// of it is read. Of one that the condition says nothing of, NULL, the same.
func TestRowsBeyondTheFilter(t *testing.T) {
	const schema = `create table guests (id {id}, name text, phone text, room text, external_ref text);
		insert into guests (name, phone, room, external_ref) values ('Ada', '1', '7', 'np:1:a'), ('Bob', '2', 'X', 'np:1:b'), ('Cem', '3', null, 'np:1:c')`
	both(t, schema, func(t *testing.T, h *house) {
		table := Table{Table: "guests", Key: []string{"id"}, OurMark: "external_ref", Private: []string{"phone"}, Only: "room <> 'X' -- no day guests"}
		plain := table
		plain.Only = ""
		c := h.open(map[record.Kind]Table{"guests": table, "all": plain})
		for _, tt := range []struct {
			kind record.Kind
			by   record.Fields
			want bool
		}{
			{"guests", fields("external_ref", "np:1:a"), false},
			{"guests", fields("external_ref", "np:1:b"), true},
			{"guests", fields("external_ref", "np:1:c"), true},
			{"guests", fields("external_ref", "np:1:d"), false},
			{"guests", fields("name", "Bob"), true},
			{"guests", fields("name", "Bob", "external_ref", "np:1:a"), false},
			{"guests", nil, true},
			{"all", nil, false},
			{"all", fields("external_ref", "np:1:b"), false},
		} {
			if got, err := c.Beyond(t.Context(), tt.kind, tt.by); err != nil || got != tt.want {
				t.Errorf("%s by %v: %t, %v, want %t", tt.kind, tt.by, got, err, tt.want)
			}
		}
		_, err := c.Beyond(t.Context(), "guests", fields("phone", "2"))
		wantClass(t, err, connectors.Forbidden)
	})
}
