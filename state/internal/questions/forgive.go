package questions

import (
	"context"
	"database/sql"
	"time"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// Forgiven returns from when on refusals count, for the records and sides of a binding where older refusals count
// no more.
func (s *Store) Forgiven(ctx context.Context, b record.Binding) ([]record.Forgiven, error) {
	return sqlite.List(ctx, s.db, "read forgiven refusals", func(rows *sql.Rows) (f record.Forgiven, err error) {
		err = rows.Scan(&f.Side, &f.Link, &f.From, sqlite.AsTime(&f.At), sqlite.AsTime(&f.Dismissed), &f.By)
		return f, err
	}, `SELECT side, link, entry, nullif(at, 0), dismissed, who FROM forgiven WHERE binding = ?1 ORDER BY link, entry, side`, b)
}

// Forgive notes what a person wants to be done about what a system refused of a record. With At, the next plan
// asks for it again. With Dismissed, it is not asked for again, and nobody is told of it any more. It needs no
// lease: a person decides while jobs run.
func (s *Store) Forgive(ctx context.Context, b record.Binding, f record.Forgiven) error {
	return s.db.Write(ctx, "forgive refusals", func(ctx context.Context, tx *sql.Tx) error {
		if err := forgive(ctx, tx, b, f); err != nil {
			return err
		}
		if f.At.IsZero() {
			return dismiss(ctx, tx, b, f)
		}
		return sqlite.Exec(ctx, tx, `UPDATE entry SET dirty = 1, listed = NULL
			WHERE binding = ?1 AND (num = nullif(?2, 0) OR link = nullif(?3, 0))`, b, f.From, f.Link)
	})
}

func forgive(ctx context.Context, tx *sql.Tx, b record.Binding, f record.Forgiven) error {
	at := int64(0)
	if !f.At.IsZero() {
		at = f.At.UnixMilli()
	}
	return sqlite.Exec(ctx, tx, `INSERT INTO forgiven (binding, link, entry, side, at, dismissed, who) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
		ON CONFLICT (binding, link, entry, side) DO UPDATE SET at = max(at, excluded.at), dismissed = excluded.dismissed, who = excluded.who`,
		b, f.Link, f.From, f.Side, at, sqlite.Millis(f.Dismissed), f.By)
}

// forgiveAll has all that was refused asked for again, since other rules say now what is written.
func forgiveAll(ctx context.Context, tx *sql.Tx, b record.Binding, now time.Time) error {
	for _, side := range record.Sides {
		if err := forgive(ctx, tx, b, record.Forgiven{Side: side, At: now}); err != nil {
			return err
		}
	}
	return sqlite.Exec(ctx, tx, `DELETE FROM forgiven WHERE binding = ?1 AND (link <> 0 OR entry <> 0)`, b)
}
