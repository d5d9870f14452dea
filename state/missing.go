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
		WHERE e.state <> '' AND e.binding = ?1 AND e.side = ?2 AND e.state IN ('missed', 'suspect') AND e.link IS NOT NULL AND e.num > ?3
		ORDER BY e.num LIMIT ?4 + 0`, p.Binding, p.Side, after, n)
	return es, s.explain("list what a scan did not show", err)
}

// Bereft lists the links of a place of which the record there was not found last, or is
// proven gone, and the one across is there as it was: they are live, or were ended and the
// one across left alone, or a person is asked about them.
// The first condition is that of the index.
func (s *Store) Bereft(ctx context.Context, p record.Place) ([]record.Pair, error) {
	pairs, err := pairsWhere(ctx, s.reader, `SELECT e.link FROM entry e JOIN link l ON l.id = e.link
		JOIN entry o ON o.link = e.link AND o.side <> e.side
		WHERE e.state <> '' AND e.binding = ?1 AND e.side = ?2 AND e.state IN ('missed', 'suspect', 'gone')
			AND (l.state NOT IN ('parted', 'gone') OR l.state = 'parted' AND EXISTS (SELECT 1 FROM tombstone t WHERE t.entry = e.num AND t.done = 'unlinked')
				OR EXISTS (SELECT 1 FROM conflict c WHERE c.link = e.link AND c.closed IS NULL))
			AND o.state <> 'gone'`, p.Binding, p.Side)
	return pairs, s.explain("list links of which a record is gone", err)
}

// Strange lists the links of a place of which the record there is another one than was linked.
// The first condition is that of the index.
func (s *Store) Strange(ctx context.Context, p record.Place) ([]record.Pair, error) {
	pairs, err := pairsWhere(ctx, s.reader, `SELECT e.link FROM entry e WHERE e.state <> '' AND e.binding = ?1 AND e.side = ?2
		AND e.state = 'stranger' AND e.link IS NOT NULL`, p.Binding, p.Side)
	return pairs, s.explain("list links of which a record is another one", err)
}

// Discredit says that the last scan of a place of the lease's binding did not show
// records that are there: it counts as incomplete, and nothing is suspected for it.
func (s *Store) Discredit(ctx context.Context, l record.Lease, side record.Side, flaw string) error {
	p := record.Place{Binding: l.Binding, Side: side}
	return s.lease(ctx, l, "discredit scan", func(ctx context.Context, tx *sql.Tx) error {
		last, err := fault(ctx, tx, p, flaw, `abandoned = 0 AND ended IS NOT NULL`)
		if err != nil || last == 0 {
			return err
		}
		if err := exec(ctx, tx, `UPDATE scan SET complete = 0 WHERE id = ?1`, last); err != nil {
			return err
		}
		return exec(ctx, tx, `UPDATE entry SET state = '', why = '' WHERE binding = ?1 AND side = ?2 AND state IN ('missed', 'suspect')`,
			p.Binding, p.Side)
	})
}

// contradict notes that the last complete scan of everything of a place did not show a
// record that is there. It stays complete, for there are systems whose lists never show what
// is archived; but it proves of no other record that it is not there.
func contradict(ctx context.Context, tx *sql.Tx, p record.Place) error {
	_, err := fault(ctx, tx, p, "it did not show a record that is there", `complete = 1`)
	return err
}

// fault adds a flaw to the last full scan of a place that is like that, and gives its
// number, 0 where there is none.
func fault(ctx context.Context, tx *sql.Tx, p record.Place, flaw, like string) (id int64, err error) {
	last, ok, err := first(collect(ctx, tx, scanScan, `SELECT `+scanColumns+` FROM scan
		WHERE binding = ?1 AND side = ?2 AND full = 1 AND `+like+` ORDER BY id DESC LIMIT 1`, p.Binding, p.Side))
	if err != nil || !ok {
		return 0, err
	}
	text, err := encode(addFlaws(last.Flaws, flaw))
	if err != nil {
		return 0, fmt.Errorf("scan %d: %w", last.ID, err)
	}
	return last.ID, exec(ctx, tx, `UPDATE scan SET flaws = ?2 WHERE id = ?1`, last.ID, text)
}
