package questions

import (
	"context"
	"database/sql"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// Always returns what persons decided once and for all about fields of a binding, by the name of the field; of all
// bindings if b is empty.
func (s *Store) Always(ctx context.Context, b record.Binding) ([]record.Always, error) {
	return sqlite.List(ctx, s.db, "read standing decisions", func(rows *sql.Rows) (a record.Always, err error) {
		err = rows.Scan(&a.Binding, &a.Field, &a.Take, &a.By, sqlite.AsTime(&a.Since))
		return a, err
	}, `SELECT binding, field, take, who, since FROM always WHERE ?1 = '' OR binding = ?1 ORDER BY binding, field`, b)
}

// DecideAlways notes which side's value stays whenever both sides change a field and no rule decides, until that
// is taken back. It needs no lease: a person decides while jobs run.
func (s *Store) DecideAlways(ctx context.Context, a record.Always) error {
	return s.db.Write(ctx, "decide for always", func(ctx context.Context, tx *sql.Tx) error {
		return sqlite.Exec(ctx, tx, `INSERT INTO always (binding, field, take, who, since) VALUES (?1, ?2, ?3, ?4, ?5)
			ON CONFLICT (binding, field) DO UPDATE SET take = excluded.take, who = excluded.who, since = excluded.since`,
			a.Binding, a.Field, a.Take, a.By, a.Since.UnixMilli())
	})
}

// ForgetAlways takes back what DecideAlways noted of a field. It reports whether there was anything.
func (s *Store) ForgetAlways(ctx context.Context, b record.Binding, field string) (bool, error) {
	had := false
	err := s.db.Write(ctx, "forget a decision", func(ctx context.Context, tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, `DELETE FROM always WHERE binding = ?1 AND field = ?2`, b, field)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		had = n > 0
		return err
	})
	return had, err
}
