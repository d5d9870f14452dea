package scans

import (
	"context"
	"database/sql"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// Unreadable returns the items of a binding that can't be read as they are, oldest first. An item without a
// usable id has no entry.
func (s *Store) Unreadable(ctx context.Context, b record.Binding) ([]record.Unreadable, error) {
	return sqlite.List(ctx, s.db, "read what is in quarantine", func(rows *sql.Rows) (u record.Unreadable, err error) {
		err = rows.Scan(&u.Place.Binding, &u.Place.Side, &u.Name, &u.Entry, &u.Ref.Kind, &u.Ref.ID, &u.Problem, sqlite.AsTime(&u.Since), sqlite.AsTime(&u.At))
		return u, err
	}, `SELECT q.binding, q.side, q.name, coalesce(q.entry, 0), coalesce(e.kind, ''), coalesce(e.id, ''), q.problem, q.since, q.at
		FROM quarantine q LEFT JOIN entry e ON e.num = q.entry WHERE q.binding = ?1 ORDER BY q.since, q.side, q.name`, b)
}
