package state

import (
	"context"
	"database/sql"
	"time"

	"nightporter/sync/record"
)

// AdoptOnly reports whether the state was put back to an older copy, and when, and
// the binding's sides were not compared whole since: what was created in between is
// on both sides and unknown here. Until then nothing is created for the binding.
func (s *Store) AdoptOnly(ctx context.Context, b record.Binding) (time.Time, bool, error) {
	var since sql.NullInt64
	err := s.reader.QueryRowContext(ctx, `SELECT since FROM adopt_only a WHERE a.binding = ''
		AND NOT EXISTS (SELECT 1 FROM adopt_only p WHERE p.binding = ?1 AND p.since >= a.since)`, b).Scan(&since)
	if isNone(err) {
		return time.Time{}, false, nil
	}
	return instant(since), since.Valid, s.explain("read restore", err)
}

// ClearAdoptOnly says that both sides of the lease's binding were compared whole
// since the state was put back.
func (s *Store) ClearAdoptOnly(ctx context.Context, l record.Lease) error {
	return s.lease(ctx, l, "end adopt-only", func(ctx context.Context, tx *sql.Tx) error {
		return exec(ctx, tx, `INSERT INTO adopt_only (binding, since) SELECT ?1, since FROM adopt_only WHERE binding = ''
			ON CONFLICT (binding) DO UPDATE SET since = excluded.since`, l.Binding)
	})
}

// adoptOnly makes every binding adopt-only, those of jobs to come included. The moment
// is always a later one: what was compared before counts no more, whatever the clock.
func adoptOnly(ctx context.Context, tx *sql.Tx, since time.Time) error {
	return exec(ctx, tx, `INSERT INTO adopt_only (binding, since) VALUES ('', ?1)
		ON CONFLICT (binding) DO UPDATE SET since = max(since + 1, excluded.since)`, since.UnixMilli())
}
