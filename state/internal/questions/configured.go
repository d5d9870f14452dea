package questions

import (
	"context"
	"database/sql"
	"time"

	"nightporter/state/internal/links"
	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// Configured notes by which settings the binding's records are decided. If these are new, the records are marked
// as TouchAll does, and what was refused is asked again.
func (s *Store) Configured(ctx context.Context, l record.Lease, settings string, now time.Time) error {
	var was string
	err := s.db.Reader.QueryRowContext(ctx, `SELECT value FROM setting WHERE binding = ?1 AND name = 'settings'`, l.Binding).Scan(&was)
	if err != nil && !sqlite.IsNone(err) {
		return s.db.Explain("read settings", err)
	}
	if was == settings {
		return nil
	}
	if err := links.NewStore(s.db).TouchAll(ctx, l); err != nil {
		return err
	}
	return s.db.Lease(ctx, l, "note settings", func(ctx context.Context, tx *sql.Tx) error {
		if err := forgiveAll(ctx, tx, l.Binding, now); err != nil {
			return err
		}
		return sqlite.PutSetting(ctx, tx, l.Binding, "settings", settings)
	})
}
