package state

import (
	"context"
	"database/sql"
	"time"

	"nightporter/sync/record"
)

// Unreadable is the items of a binding that can't be read as they are, oldest first. One
// without an id, or never seen in order, has no entry.
func (s *Store) Unreadable(ctx context.Context, b record.Binding) ([]record.Unreadable, error) {
	found, err := collect(ctx, s.reader, func(rows *sql.Rows) (u record.Unreadable, err error) {
		var since, at sql.NullInt64
		err = rows.Scan(&u.Place.Binding, &u.Place.Side, &u.Name, &u.Entry, &u.Ref.Kind, &u.Ref.ID, &u.Problem, &since, &at)
		u.Since, u.At = instant(since), instant(at)
		return u, err
	}, `SELECT q.binding, q.side, q.name, coalesce(q.entry, 0), coalesce(e.kind, ''), coalesce(e.id, ''), q.problem, q.since, q.at
		FROM quarantine q LEFT JOIN entry e ON e.num = q.entry WHERE q.binding = ?1 ORDER BY q.since, q.side, q.name`, b)
	return found, s.explain("read what is in quarantine", err)
}

// ReadAgain has the record of an entry read by its id by the next run. It needs no
// lease: a person decides while jobs run.
func (s *Store) ReadAgain(ctx context.Context, b record.Binding, num int64, now time.Time) error {
	return s.write(ctx, "ask for a record to be read", func(ctx context.Context, tx *sql.Tx) error {
		return one(ctx, tx, unknown("entry %d of job %s", num, b),
			`UPDATE entry SET recheck = ?3, listed = NULL WHERE num = ?1 AND binding = ?2`, num, b, now.UnixMilli())
	})
}
