package state

import (
	"context"
	"database/sql"
	"fmt"

	"nightporter/sync/record"
)

// Missing lists linked entries of a place that the last complete scan did not show, or a
// read by id did not find, and that are not proven gone, by number.
func (s *Store) Missing(ctx context.Context, p record.Place, after int64, n int) ([]record.Entry, error) {
	es, err := collect(ctx, s.reader, scanEntry, `SELECT `+entryColumns+` FROM entry e
		WHERE e.binding = ?1 AND e.side = ?2 AND e.state IN ('missed', 'suspect') AND e.link IS NOT NULL AND e.num > ?3
		ORDER BY e.num LIMIT ?4 + 0`, p.Binding, p.Side, after, n)
	return es, s.explain("list what a scan did not show", err)
}

// Discredit says that the last scan of a place of the lease's binding did not show
// records that are there: it counts as incomplete, and nothing is suspected for it.
func (s *Store) Discredit(ctx context.Context, l record.Lease, side record.Side, flaw string) error {
	p := record.Place{Binding: l.Binding, Side: side}
	return s.lease(ctx, l, "discredit scan", func(ctx context.Context, tx *sql.Tx) error {
		last, ok, err := first(collect(ctx, tx, scanScan, `SELECT `+scanColumns+` FROM scan
			WHERE binding = ?1 AND side = ?2 AND full = 1 AND abandoned = 0 AND ended IS NOT NULL
			ORDER BY id DESC LIMIT 1`, p.Binding, p.Side))
		if err != nil || !ok {
			return err
		}
		text, err := encode(addFlaws(last.Flaws, flaw))
		if err != nil {
			return fmt.Errorf("scan %d: %w", last.ID, err)
		}
		if err := exec(ctx, tx, `UPDATE scan SET complete = 0, flaws = ?2 WHERE id = ?1`, last.ID, text); err != nil {
			return err
		}
		return exec(ctx, tx, `UPDATE entry SET state = '', why = '' WHERE binding = ?1 AND side = ?2 AND state IN ('missed', 'suspect')`,
			p.Binding, p.Side)
	})
}
