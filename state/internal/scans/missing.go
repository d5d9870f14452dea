package scans

import (
	"context"
	"database/sql"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// Discredit notes that the last scan of a side of the lease's binding did not show records that are there. The
// scan counts as incomplete then, and no record of the side is suspected any more.
func (s *Store) Discredit(ctx context.Context, l record.Lease, side record.Side, flaw string) error {
	p := record.Place{Binding: l.Binding, Side: side}
	return s.db.Lease(ctx, l, "discredit scan", func(ctx context.Context, tx *sql.Tx) error {
		last, err := fault(ctx, tx, p, flaw, `abandoned = 0 AND ended IS NOT NULL`)
		if err != nil || last == 0 {
			return err
		}
		if err := sqlite.Exec(ctx, tx, `UPDATE scan SET complete = 0 WHERE id = ?1`, last); err != nil {
			return err
		}
		return sqlite.Exec(ctx, tx, `UPDATE entry SET state = '', why = '' WHERE binding = ?1 AND side = ?2 AND state IN `+sqlite.EntriesMissing,
			p.Binding, p.Side)
	})
}

// contradict notes that the last complete scan of everything of a place did not show a record that is there. The
// scan stays complete, for some systems never show archived records in their lists. But it is no proof any more
// that any other record is not there.
func contradict(ctx context.Context, tx *sql.Tx, p record.Place) error {
	_, err := fault(ctx, tx, p, "it did not show a record that is there", `complete = 1`)
	return err
}

// fault adds a flaw to the last full scan of a place that meets the condition like, and returns the number of the
// scan; 0 if there is none.
func fault(ctx context.Context, tx *sql.Tx, p record.Place, flaw, like string) (id int64, err error) {
	last, ok, err := sqlite.First(sqlite.Collect(ctx, tx, scanScan, `SELECT `+scanColumns+` FROM scan
		WHERE binding = ?1 AND side = ?2 AND full = 1 AND `+like+` ORDER BY id DESC LIMIT 1`, p.Binding, p.Side))
	if err != nil || !ok {
		return 0, err
	}
	return last.ID, sqlite.Exec(ctx, tx, `UPDATE scan SET flaws = ?2 WHERE id = ?1`, last.ID, sqlite.JSON(addFlaws(last.Flaws, flaw)))
}
