package journal

import (
	"context"
	"database/sql"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// KeepBack notes that a change is not sent now. If it was noted before, its Since stays.
func (s *Store) KeepBack(ctx context.Context, l record.Lease, k record.KeptBack) error {
	fields, err := sqlite.Encode(k.Fields)
	if err != nil {
		return s.db.Explain("keep a change back", err)
	}
	return s.db.Lease(ctx, l, "keep a change back", func(ctx context.Context, tx *sql.Tx) error {
		return sqlite.Exec(ctx, tx, `INSERT INTO kept_back (binding, side, link, entry, change, fields, rule, why, since, until)
			VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT DO UPDATE SET change = excluded.change,
			fields = excluded.fields, rule = excluded.rule, why = excluded.why, until = excluded.until
			WHERE (change, fields, rule, why, until) IS NOT (excluded.change, excluded.fields, excluded.rule, excluded.why, excluded.until)`,
			l.Binding, k.Place.Side, k.Link, k.Entry, k.Op.String(), fields, k.Rule, k.Why, k.Since.UnixMilli(), sqlite.Millis(k.Until))
	})
}

// KeptBack returns the changes of a binding that are not sent now, those that have waited longest first.
func (s *Store) KeptBack(ctx context.Context, b record.Binding) ([]record.KeptBack, error) {
	return sqlite.List(ctx, s.db, "read what is kept back", func(rows *sql.Rows) (k record.KeptBack, err error) {
		var op, fields string
		if err := rows.Scan(&k.Place.Binding, &k.Place.Side, &k.Link, &k.Entry, &op, &fields, &k.Rule, &k.Why, sqlite.AsTime(&k.Since), sqlite.AsTime(&k.Until)); err != nil {
			return k, err
		}
		k.Op = record.OpNamed(op)
		return k, sqlite.Decode(fields, &k.Fields)
	}, `SELECT binding, side, link, entry, change, fields, rule, why, since, until FROM kept_back
		WHERE binding = ?1 ORDER BY since, side, link, entry`, b)
}

// LetGo forgets that changes were kept back, because they are not to be sent any more.
func (s *Store) LetGo(ctx context.Context, l record.Lease, over []record.KeptBack) error {
	return s.db.Lease(ctx, l, "let go of what was kept back", func(ctx context.Context, tx *sql.Tx) error {
		for _, k := range over {
			if err := letGo(ctx, tx, record.Place{Binding: l.Binding, Side: k.Place.Side}, k.Link, k.Entry); err != nil {
				return err
			}
		}
		return nil
	})
}

// letGo forgets that a change was kept back.
func letGo(ctx context.Context, tx *sql.Tx, p record.Place, link record.LinkID, entry int64) error {
	if link != 0 {
		entry = 0
	}
	return sqlite.Exec(ctx, tx, `DELETE FROM kept_back WHERE binding = ?1 AND side = ?2 AND link = ?3 AND entry = ?4`, p.Binding, p.Side, link, entry)
}
