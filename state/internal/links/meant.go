package links

import (
	"context"
	"database/sql"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// Mean notes which record each reference meant, in place of what was noted of the reference before. Nothing is
// noted where the record meant has no entry. An example: a call names a guest by a phone number. It goes on
// meaning that guest, whoever has the number later.
func (s *Store) Mean(ctx context.Context, l record.Lease, ms []record.Meant) error {
	return s.db.Lease(ctx, l, "note whom records mean", func(ctx context.Context, tx *sql.Tx) error {
		for _, m := range ms {
			err := sqlite.Exec(ctx, tx, `INSERT INTO meant (entry, field, shown, who, born, name)
				SELECT ?1, ?2, ?3, num, ?8, ?9 FROM entry WHERE binding = ?4 AND side = ?5 AND kind = ?6 AND id = ?7
				ON CONFLICT (entry, field) DO UPDATE SET shown = excluded.shown, who = excluded.who, born = excluded.born, name = excluded.name, gone = 0`,
				m.Entry, m.Field, m.Shown, m.Binding, m.Side, m.Ref.Kind, m.Ref.ID, m.Born, m.Name)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Meant returns which record a reference of an entry meant when that was last noted; false if nothing is noted.
// The note goes once the entry is settled and waits for no record.
func (s *Store) Meant(ctx context.Context, num int64, field string) (record.Meant, bool, error) {
	scan := func(rows *sql.Rows) (m record.Meant, err error) {
		err = rows.Scan(&m.Entry, &m.Field, &m.Shown, &m.Born, &m.Name, &m.Gone, &m.Binding, &m.Side, &m.Ref.Kind, &m.Ref.ID)
		return m, err
	}
	return sqlite.Find(ctx, s.db, "look whom a record means", scan, `SELECT m.entry, m.field, m.shown, m.born, m.name, m.gone, e.binding, e.side, e.kind, e.id
		FROM meant m JOIN entry e ON e.num = m.who WHERE m.entry = ?1 AND m.field = ?2`, num, field)
}

// dropMeant forgets which records a settled entry means, unless the entry waits for a record.
func dropMeant(ctx context.Context, tx *sql.Tx, num int64) error {
	return sqlite.Exec(ctx, tx, `DELETE FROM meant WHERE entry = ?1 AND NOT EXISTS (SELECT 1 FROM wait WHERE entry = ?1)`, num)
}

// meantIsGone notes, for all references that mean an entry, that its record is gone.
func meantIsGone(ctx context.Context, tx *sql.Tx, num int64) error {
	return sqlite.Exec(ctx, tx, `UPDATE meant SET gone = 1 WHERE who = ?1`, num)
}
