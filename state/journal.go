package state

import (
	"context"
	"database/sql"
	"time"

	"nightporter/sync/record"
)

// Change is one change in the journal: the intent, and the receipt once it is settled.
type Change struct {
	record.Intent
	Receipt *record.Receipt // nil: there is none
}

// Filter chooses changes. A field that is zero chooses all.
type Filter struct {
	Run     int64
	Link    record.LinkID
	Binding record.Binding
	Ref     record.Ref // changes of the record, and of the one that it is linked to
	Limit   int        // the newest ones; 0: all
}

// Changes is the journal, oldest first.
func (s *Store) Changes(ctx context.Context, f Filter) ([]Change, error) {
	limit := f.Limit
	if limit <= 0 {
		limit = -1
	}
	found, err := collect(ctx, s.reader, scanChange, `SELECT * FROM (SELECT `+intentColumns+` FROM intent i
		WHERE (?1 = 0 OR i.run = ?1) AND (?2 = 0 OR i.link = ?2) AND (?3 = '' OR i.binding = ?3)
		AND (?5 = '' OR (i.kind = ?4 AND i.ref = ?5)
			OR i.source IN (SELECT num FROM entry WHERE kind = ?4 AND id = ?5)
			OR i.link IN (SELECT link FROM entry WHERE kind = ?4 AND id = ?5))
		ORDER BY i.made DESC, i.id DESC LIMIT ?6) ORDER BY made, id`,
		f.Run, f.Link, f.Binding, f.Ref.Kind, f.Ref.ID, limit)
	return found, s.explain("read changes", err)
}

// keptScans is how many ended scans of a place Prune leaves whatever their age.
const keptScans = 2

// Prune deletes from the journal what ended before a moment: changes, closed
// conflicts, alerts, scans but the last two of a place, and runs that no change is
// left of. What is open stays. It returns how many rows it deleted.
func (s *Store) Prune(ctx context.Context, before time.Time) (int, error) {
	var total int64
	err := s.write(ctx, "prune", func(ctx context.Context, tx *sql.Tx) error {
		total = 0
		for _, query := range []string{
			`DELETE FROM intent WHERE ended_at < ?1 AND state IN ('settled', 'rejected', 'cancelled')`,
			`DELETE FROM conflict WHERE closed < ?1`,
			`DELETE FROM alert WHERE at < ?1`,
			`DELETE FROM scan WHERE ended < ?1 AND (
				SELECT count(*) FROM scan n WHERE n.binding = scan.binding AND n.side = scan.side AND n.id > scan.id
				AND n.ended IS NOT NULL) >= ?2`,
			`DELETE FROM run WHERE ended < ?1 AND NOT EXISTS (SELECT 1 FROM intent i WHERE i.run = run.id)`,
		} {
			res, err := tx.ExecContext(ctx, query, before.UnixMilli(), keptScans)
			if err != nil {
				return err
			}
			n, err := res.RowsAffected()
			if err != nil {
				return err
			}
			total += n
		}
		return nil
	})
	return int(total), err
}
