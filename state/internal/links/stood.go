package links

import (
	"context"
	"database/sql"

	"nightporter/state/internal/entries"
	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// A guest who is made anew across is the same person, and bookings name him by the id that his old
// record had. So the new link stands for what the old one stood for, and what was settled on
// that is looked at again.

// keepStood notes what a record stands for whose link ends because the one across is gone.
func keepStood(ctx context.Context, tx *sql.Tx, r *entries.Row, entity string) error {
	return sqlite.Exec(ctx, tx, `INSERT INTO stood (entry, binding, entity) VALUES (?1, ?2, ?3)
		ON CONFLICT (entry) DO UPDATE SET entity = excluded.entity`, r.Num, r.Place.Binding, entity)
}

// entityOf is what a link stands for.
func entityOf(ctx context.Context, tx *sql.Tx, link record.LinkID) (entity string, err error) {
	err = tx.QueryRowContext(ctx, `SELECT entity FROM link WHERE id = ?1`, link).Scan(&entity)
	return entity, err
}

// Stood is the record without a link that stood for an entity until the one across was gone; 0 for none.
func (s *Store) Stood(ctx context.Context, b record.Binding, entity string) (num int64, err error) {
	num, _, err = sqlite.First(sqlite.Collect(ctx, s.db.Reader, sqlite.Number, `SELECT e.num FROM stood t JOIN entry e ON e.num = t.entry
		WHERE t.binding = ?1 AND t.entity = ?2 AND e.link IS NULL`, b, entity))
	return num, s.db.Explain("look what stood for an entity", err)
}

// standsAgain has those looked at again that name what a new link stands for, if an older one
// stood for it.
func standsAgain(ctx context.Context, tx *sql.Tx, b record.Binding, entity string) error {
	done, err := tx.ExecContext(ctx, `DELETE FROM stood WHERE binding = ?1 AND entity = ?2`, b, entity)
	if err != nil {
		return err
	}
	if n, err := done.RowsAffected(); err != nil || n == 0 {
		return err
	}
	return rouse(ctx, tx, entity)
}

// rouse marks all that was settled on an entity, in any binding, as to be looked at again: the
// records that stand for it are others by now. No index helps: all that is linked is looked through.
func rouse(ctx context.Context, tx *sql.Tx, entity string) error {
	return sqlite.Exec(ctx, tx, `UPDATE entry SET dirty = 1, listed = NULL
		WHERE link IS NOT NULL AND state <> `+sqlite.EntryGone+` AND instr(base, '"' || ?1 || '"') > 0`, entity)
}
