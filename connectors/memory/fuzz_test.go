package memory_test

import (
	"slices"
	"testing"

	"nightporter/connectors"
	"nightporter/connectors/memory"
	"nightporter/sync/record"
)

// A cursor is text that was kept for long and may be anybody's: whatever it is, the
// list is refused, or it is read to its end, in no more pages than it has, and no row
// of it comes twice.
func FuzzCursor(f *testing.F) {
	for _, s := range []string{
		"", "{}", `{"p":1,"b":"2026-11-21T12:00:00Z","n":7}`, `{"n":-1}`, `{"n":9223372036854775807,"p":9223372036854775807}`, `{"l":{"i":"00000007"}}`,
		`{"l":{"i":"00000007","c":"2026-11-21T12:00:00Z","f":"b"}}`, `{"s":"9999-12-31T23:59:59Z"}`, `null`, `[]`, `{"p":1e400}`, "\xff",
	} {
		for order := range uint8(10) {
			f.Add(s, order, order%2 == 0)
		}
	}
	const rows = 20
	f.Fuzz(func(t *testing.T, text string, order uint8, since bool) {
		k := memory.Kind{PageSize: 7, Order: memory.Order(order % 5), OrderField: "name", Since: true, Times: true, Total: true, Ahead: 3}
		if order/5%2 == 1 {
			k.Paging = memory.Keyset
		}
		s := newSystem(k)
		for i := range rows {
			s.Put("guests", sample(i))
		}
		q := connectors.Query{Kind: "guests"}
		if since {
			q.Mode = connectors.Since
		}
		var ids []string
		after := record.Cursor(text)
		for page := 0; ; page++ {
			p, err := s.Connector().Fetch(t.Context(), q, after)
			if err != nil {
				if page > 0 || connectors.ClassOf(err) != connectors.Malformed {
					t.Fatalf("page %d: %v", page, err)
				}
				return
			}
			for _, item := range p.Items {
				if r, err := p.Read(item); err != nil || r.Ref.ID != item.ID {
					t.Fatalf("%s is read as %s (%v)", item.ID, r.Ref, err)
				}
				ids = append(ids, item.ID)
			}
			if p.End {
				break
			}
			if page > rows || p.Next == after || p.Next == "" {
				t.Fatalf("page %d goes on at %q", page, p.Next)
			}
			after = p.Next
		}
		slices.Sort(ids)
		if n := len(slices.Compact(slices.Clone(ids))); n != len(ids) {
			t.Fatalf("%d of %d rows came twice", len(ids)-n, len(ids))
		}
	})
}
