package questions

import (
	"context"
	"database/sql"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// KeepFindings stores findings of a run, and forgets those that are over. A finding that is known already keeps
// its Since.
func (s *Store) KeepFindings(ctx context.Context, l record.Lease, found []record.Finding, over []record.For) error {
	return s.db.Lease(ctx, l, "keep findings", func(ctx context.Context, tx *sql.Tx) error {
		for _, f := range over {
			err := sqlite.Exec(ctx, tx, `DELETE FROM finding WHERE binding = ?1 AND side = ?2 AND link = ?3 AND entry = ?4 AND name = ?5`,
				l.Binding, f.Side, f.Link, f.Entry, f.Name)
			if err != nil {
				return err
			}
		}
		for _, f := range found {
			err := sqlite.Exec(ctx, tx, `INSERT INTO finding (binding, side, name, link, entry, change, about, text, kind, id, asked, since)
				VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12) ON CONFLICT DO UPDATE SET change = excluded.change,
				about = excluded.about, text = excluded.text, kind = excluded.kind, id = excluded.id, asked = coalesce(excluded.asked, asked)`,
				l.Binding, f.Place.Side, f.Name, f.Link, f.Entry, f.Op.String(), f.About, f.Text, f.Ref.Kind, f.Ref.ID, sqlite.Millis(f.Asked), f.Since.UnixMilli())
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Findings returns the findings of a binding that are not over, the earliest first; those of all bindings if b is
// empty.
func (s *Store) Findings(ctx context.Context, b record.Binding) ([]record.Finding, error) {
	return sqlite.List(ctx, s.db, "read findings", func(rows *sql.Rows) (f record.Finding, err error) {
		var op string
		err = rows.Scan(&f.Place.Binding, &f.Place.Side, &f.Name, &f.Link, &f.Entry, &op, &f.About, &f.Text, &f.Ref.Kind, &f.Ref.ID, sqlite.AsTime(&f.Asked), sqlite.AsTime(&f.Since))
		f.Op = record.OpNamed(op)
		return f, err
	}, `SELECT binding, side, name, link, entry, change, about, text, kind, id, asked, since FROM finding
		WHERE ?1 = '' OR binding = ?1 ORDER BY binding, since, side, link, entry, name`, b)
}

// dismiss forgets the findings about one record, because a person knows of them.
func dismiss(ctx context.Context, tx *sql.Tx, b record.Binding, f record.Forgiven) error {
	return sqlite.Exec(ctx, tx, `DELETE FROM finding WHERE binding = ?1 AND side = ?2 AND link = ?3 AND entry = ?4 AND (link <> 0 OR entry <> 0)`,
		b, f.Side, f.Link, f.From)
}
