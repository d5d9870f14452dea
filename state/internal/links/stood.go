package links

import (
	"context"
	"database/sql"

	"nightporter/state/internal/entries"
	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// A guest who is created anew across is the same person, and bookings name him by the id of his old record. So the
// new link stands for the same entity as the old one, and all that was settled with a reference to that entity is
// looked at again.

// keepStood notes which entity a record stands for when its link ends because the record across is gone.
func keepStood(ctx context.Context, tx *sql.Tx, r *entries.Row, entity string) error {
	return sqlite.Exec(ctx, tx, `INSERT INTO stood (entry, binding, entity) VALUES (?1, ?2, ?3)
		ON CONFLICT (entry) DO UPDATE SET entity = excluded.entity`, r.Num, r.Place.Binding, entity)
}

// entityOf returns the entity that a link stands for.
func entityOf(ctx context.Context, tx *sql.Tx, link record.LinkID) (entity string, err error) {
	err = tx.QueryRowContext(ctx, `SELECT entity FROM link WHERE id = ?1`, link).Scan(&entity)
	return entity, err
}

// Stood returns the number of the entry without a link that stood for an entity until the record across was gone;
// 0 if there is none.
func (s *Store) Stood(ctx context.Context, b record.Binding, entity string) (num int64, err error) {
	num, _, err = sqlite.First(sqlite.Collect(ctx, s.db.Reader, sqlite.Number, `SELECT e.num FROM stood t JOIN entry e ON e.num = t.entry
		WHERE t.binding = ?1 AND t.entity = ?2 AND e.link IS NULL`, b, entity))
	return num, s.db.Explain("look what stood for an entity", err)
}

// GoneAcross returns the number of the entry that is gone, and that an entry without a link was linked with until
// then; 0 if there is none. Of several the last one counts.
func (s *Store) GoneAcross(ctx context.Context, num int64) (int64, error) {
	gone, _, err := sqlite.First(sqlite.Collect(ctx, s.db.Reader, sqlite.Number, `SELECT t.entry FROM stood s
		CROSS JOIN entry e ON e.num = s.entry AND e.link IS NULL
		CROSS JOIN tombstone t ON t.binding = s.binding AND t.entity = s.entity AND t.side <> e.side
		CROSS JOIN entry o ON o.num = t.entry AND o.state = `+sqlite.EntryGone+`
		WHERE s.entry = ?1 ORDER BY t.at DESC LIMIT 1`, num))
	return gone, s.db.Explain("look what is gone across", err)
}

// standsAgain is called for a new link. If an older link stood for the same entity, it has all entries looked at
// again that name the entity.
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

// rouse marks all linked entries of any binding that were settled with a reference to an entity, so that they are
// looked at again: other records stand for the entity now. No index helps: the statement looks through all linked
// entries.
func rouse(ctx context.Context, tx *sql.Tx, entity string) error {
	return sqlite.Exec(ctx, tx, `UPDATE entry SET dirty = 1, listed = NULL
		WHERE link IS NOT NULL AND state <> `+sqlite.EntryGone+` AND instr(base, '"' || ?1 || '"') > 0`, entity)
}
