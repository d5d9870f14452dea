package runs

import (
	"context"
	"database/sql"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// Former lists, by name, the bindings of the same two kinds, and of one of the two systems at
// least, that have links and are none of some, if the one that is asked about has no link: it may be
// one of them under a new name, or with a system that has one. The sides may have changed places.
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
