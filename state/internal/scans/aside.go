package scans

import (
	"context"
	"database/sql"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// Unreadable is the items of a binding that can't be read as they are, oldest first. One
// without an id, or never seen in order, has no entry.
func (s *Store) Unreadable(ctx context.Context, b record.Binding) ([]record.Unreadable, error) {
	found, err := sqlite.Collect(ctx, s.db.Reader, func(rows *sql.Rows) (u record.Unreadable, err error) {
		var since, at sql.NullInt64
		err = rows.Scan(&u.Place.Binding, &u.Place.Side, &u.Name, &u.Entry, &u.Ref.Kind, &u.Ref.ID, &u.Problem, &since, &at)
		u.Since, u.At = sqlite.Instant(since), sqlite.Instant(at)
		return u, err
	}, `SELECT q.binding, q.side, q.name, coalesce(q.entry, 0), coalesce(e.kind, ''), coalesce(e.id, ''), q.problem, q.since, q.at
		FROM quarantine q LEFT JOIN entry e ON e.num = q.entry WHERE q.binding = ?1 ORDER BY q.since, q.side, q.name`, b)
	return found, s.db.Explain("read what is in quarantine", err)
}
