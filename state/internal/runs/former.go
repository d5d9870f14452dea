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
