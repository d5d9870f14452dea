package entries

import (
	"context"
	"database/sql"
	"time"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// BeginCopy notes which linked records a side of the lease's binding lacks after its system was put back to an
// older copy: those that its last list did not show or a read by id did not find, and those that were proven gone at
// the time since or later. What was noted as lacking before is forgotten. another says that this is another copy than the one of the
// notes so far: then all of them are forgotten.
func (s *Store) BeginCopy(ctx context.Context, l record.Lease, side record.Side, another bool, since time.Time) error {
	return s.db.Lease(ctx, l, "note what a copy lacks", func(ctx context.Context, tx *sql.Tx) error {
		if err := sqlite.Exec(ctx, tx, `DELETE FROM copied WHERE binding = ?1 AND side = ?2 AND (?3 OR shown = '')`, l.Binding, side, another); err != nil {
			return err
		}
		return sqlite.Exec(ctx, tx, `INSERT OR REPLACE INTO copied (binding, side, entry, shown) SELECT ?1, ?2, e.num, '' FROM entry e
			WHERE e.state <> '' AND e.binding = ?1 AND e.side = ?2 AND e.link IS NOT NULL AND (e.state IN ('missed', 'suspect')
			OR e.state = 'gone' AND EXISTS (SELECT 1 FROM tombstone t WHERE t.entry = e.num AND t.at >= ?3))`,
			l.Binding, side, since.UnixMilli())
	})
}

// KeepCopy notes, for some entries, which values that side shows otherwise than they were settled: by path, as
// digests. A note replaces the one before, but not where BeginCopy has noted that the side lacks the record.
func (s *Store) KeepCopy(ctx context.Context, l record.Lease, side record.Side, shown map[int64]map[string]string) error {
	return s.db.Lease(ctx, l, "note what a copy shows", func(ctx context.Context, tx *sql.Tx) error {
		for num, paths := range shown {
			err := sqlite.Exec(ctx, tx, `INSERT INTO copied (binding, side, entry, shown) VALUES (?1, ?2, ?3, ?4)
				ON CONFLICT DO UPDATE SET shown = excluded.shown WHERE copied.shown <> ''`,
				l.Binding, side, num, sqlite.JSON(paths))
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Copied returns what BeginCopy or KeepCopy noted of an entry. shown is nil if the side lacked the record. noted
// is false if nothing was noted, or if the record was in step since.
func (s *Store) Copied(ctx context.Context, place record.Place, num int64) (shown map[string]string, noted bool, err error) {
	texts, err := sqlite.Collect(ctx, s.db.Reader, func(rows *sql.Rows) (text string, err error) { return text, rows.Scan(&text) },
		`SELECT shown FROM copied WHERE binding = ?1 AND side = ?2 AND entry = ?3`, place.Binding, place.Side, num)
	if err != nil || len(texts) == 0 {
		return nil, false, s.db.Explain("read what a copy showed", err)
	}
	if texts[0] != "" {
		err = sqlite.Decode(texts[0], &shown)
	}
	return shown, true, s.db.Explain("read what a copy showed", err)
}

// EndCopied forgets the notes about entries of a side of the lease's binding that are in step now or have no link
// any more. It reports whether no note is left.
func (s *Store) EndCopied(ctx context.Context, l record.Lease, side record.Side) (none bool, err error) {
	err = s.db.Lease(ctx, l, "forget what a copy showed", func(ctx context.Context, tx *sql.Tx) error {
		err := sqlite.Exec(ctx, tx, `DELETE FROM copied WHERE binding = ?1 AND side = ?2 AND NOT EXISTS (SELECT 1 FROM entry e
			WHERE e.num = copied.entry AND e.link IS NOT NULL AND (e.seen IS NOT NULL OR e.state <> ''))`, l.Binding, side)
		if err != nil {
			return err
		}
		var left bool
		err = tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM copied WHERE binding = ?1 AND side = ?2)`, l.Binding, side).Scan(&left)
		none = !left
		return err
	})
	return none, err
}
