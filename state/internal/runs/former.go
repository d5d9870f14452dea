package runs

import (
	"context"
	"database/sql"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// Former returns the bindings that b may have been until now, by name: it may have got a new name, or one of its
// systems may have. They have links, and b has none. They have the same two kinds and at least one of the two
// systems, and the sides may have changed places. They are not among some.
func (s *Store) Former(ctx context.Context, b record.Binding, some []record.Binding) ([]record.Binding, error) {
	return sqlite.List(ctx, s.db, "look for a job of the same kinds", func(rows *sql.Rows) (b record.Binding, err error) {
		err = rows.Scan(&b)
		return b, err
	}, `SELECT o.binding FROM binding b JOIN binding o ON o.binding <> b.binding
			AND ((o.left_kind, o.right_kind) = (b.left_kind, b.right_kind) AND (o.left_system = b.left_system OR o.right_system = b.right_system)
				OR (o.left_kind, o.right_kind) = (b.right_kind, b.left_kind) AND (o.left_system = b.right_system OR o.right_system = b.left_system))
		WHERE b.binding = ?1 AND o.binding NOT IN (SELECT value FROM json_each(?2))
			AND NOT EXISTS (SELECT 1 FROM link WHERE binding = b.binding)
			AND EXISTS (SELECT 1 FROM link WHERE binding = o.binding)
		ORDER BY o.binding`, b, sqlite.JSON(some))
}

// FormerPairs returns at most n links of bindings not among some, in the order of the links, of which b has an entry
// for each record, by its id, whatever the kinds and systems are called. It returns none once b has a link.
func (s *Store) FormerPairs(ctx context.Context, b record.Binding, some []record.Binding, n int) ([]record.FormerPair, error) {
	return sqlite.List(ctx, s.db, "look for links of a job that is no more", func(rows *sql.Rows) (p record.FormerPair, err error) {
		err = rows.Scan(&p.Binding, &p.Was[record.Left], &p.Was[record.Right], &p.Is[record.Left], &p.Is[record.Right])
		return p, err
	}, `SELECT l.binding, wl.num, wr.num, il.num, ir.num FROM (SELECT 0 AS left_was UNION ALL SELECT 1) o
			CROSS JOIN link l ON l.binding NOT IN (SELECT value FROM json_each(?2)) AND l.binding <> ?1
			CROSS JOIN entry wl ON wl.link = l.id AND wl.side = o.left_was
			CROSS JOIN entry wr ON wr.link = l.id AND wr.side = 1 - o.left_was
			CROSS JOIN entry il ON il.binding = ?1 AND il.side = 0 AND il.id = wl.id
			CROSS JOIN entry ir ON ir.binding = ?1 AND ir.side = 1 AND ir.id = wr.id
		WHERE NOT EXISTS (SELECT 1 FROM link WHERE binding = ?1)
		ORDER BY l.id LIMIT ?3 + 0`, b, sqlite.JSON(some), n)
}
