package systems

import (
	"context"
	"database/sql"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// Breakers returns the systems that only fail, by name. Only one run at a time asks them.
func (s *Store) Breakers(ctx context.Context) ([]record.Breaker, error) {
	return sqlite.List(ctx, s.db, "read breakers", func(rows *sql.Rows) (b record.Breaker, err error) {
		err = rows.Scan(&b.System, &b.Fails, &b.Cause, sqlite.AsTime(&b.Opened), sqlite.AsTime(&b.Next))
		return b, err
	}, `SELECT system, fails, cause, opened, next FROM breaker ORDER BY system`)
}

// KeepBreakers keeps the systems that only fail, in place of those kept so far.
func (s *Store) KeepBreakers(ctx context.Context, all []record.Breaker) error {
	return s.db.AsHolder(ctx, "keep breakers", func(ctx context.Context, tx *sql.Tx) error {
		if err := sqlite.Exec(ctx, tx, `DELETE FROM breaker`); err != nil {
			return err
		}
		for _, b := range all {
			err := sqlite.Exec(ctx, tx, `INSERT INTO breaker (system, fails, cause, opened, next) VALUES (?1, ?2, ?3, ?4, ?5)`,
				b.System, b.Fails, b.Cause, sqlite.Millis(b.Opened), sqlite.Millis(b.Next))
			if err != nil {
				return err
			}
		}
		return nil
	})
}
