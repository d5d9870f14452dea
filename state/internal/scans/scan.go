package scans

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// Ended returns the last n full scans of a place that came to their end, newest first.
func (s *Store) Ended(ctx context.Context, p record.Place, n int) ([]record.EndedScan, error) {
	found, err := s.Scans(ctx, p, n)
	out := make([]record.EndedScan, 0, len(found))
	for _, f := range found {
		out = append(out, record.EndedScan{
			Scan:        f.Scan,
			Certificate: record.Certificate{Ended: f.Ended, Complete: f.Complete, Flaws: f.Flaws},
		})
	}
	return out, err
}

// PastScan is a scan as its row holds it. Ended is zero while it is open.
type PastScan struct {
	record.Scan
	Ended    time.Time
	Complete bool
	Doubles  int // items that came a second time
}

const scanColumns = `id, binding, side, full, since, scope, mapping, started, ended, complete, cursor, pages, row_count,
	total, doubles, flaws`

func scanScan(rows *sql.Rows) (p PastScan, err error) {
	var flaws string
	err = rows.Scan(&p.ID, &p.Place.Binding, &p.Place.Side, &p.Spec.Full, &p.Spec.Since, &p.Spec.Scope, &p.Spec.Mapping,
		sqlite.AsTime(&p.Started), sqlite.AsTime(&p.Ended), &p.Complete, &p.Cursor, &p.Pages, &p.Rows, &p.Total, &p.Doubles, &flaws)
	if err != nil {
		return p, err
	}
	if err := sqlite.Decode(flaws, &p.Flaws); err != nil {
		return p, err
	}
	if p.Doubles > 0 {
		p.Flaws = addFlaws(p.Flaws, flawDoubles)
	}
	return p, nil
}

const (
	flawDoubles = "records came a second time"
	mostFlaws   = 50
)

// addFlaws adds the flaws that are not in the list yet, up to a number: a scan that goes wrong on each page says
// so once.
func addFlaws(flaws []string, more ...string) []string {
	for _, f := range more {
		if len(flaws) < mostFlaws && !slices.Contains(flaws, f) {
			flaws = append(flaws, f)
		}
	}
	return flaws
}

func openScan(ctx context.Context, q sqlite.Querier, p record.Place) (PastScan, bool, error) {
	return sqlite.First(sqlite.Collect(ctx, q, scanScan, `SELECT `+scanColumns+` FROM scan
		WHERE binding = ?1 AND side = ?2 AND ended IS NULL`, p.Binding, p.Side))
}

// BeginScan goes on with the open scan of a place if it has the same spec and was begun less than maxAge ago.
// Otherwise that scan is given up, and a new one is begun. If the open scan has read no page yet, it counts as
// begun now: all that is known by now was known before it read anything.
func (s *Store) BeginScan(ctx context.Context, l record.Lease, p record.Place, spec record.ScanSpec, now time.Time, maxAge time.Duration) (record.Scan, error) {
	var scan record.Scan
	err := s.db.Lease(ctx, l, "begin scan", func(ctx context.Context, tx *sql.Tx) error {
		if err := checkKinds(ctx, tx, l, p, nil); err != nil {
			return err
		}
		open, ok, err := openScan(ctx, tx, p)
		if err != nil {
			return err
		}
		known, err := knownRows(ctx, tx, p.Binding)
		if err != nil {
			return err
		}
		defer func() { scan.Known = known }()
		age := now.Sub(open.Started)
		switch {
		case ok && open.Spec == spec && open.Pages == 0:
			scan = open.Scan
			scan.Started = time.UnixMilli(now.UnixMilli()).UTC()
			return sqlite.Exec(ctx, tx, `UPDATE scan SET started = ?2 WHERE id = ?1`, scan.ID, now.UnixMilli())
		case ok && open.Spec == spec && age >= 0 && age < maxAge:
			scan = open.Scan
			return nil
		case ok:
			if err := closeScan(ctx, tx, open.ID, now, `abandoned = 1`); err != nil {
				return err
			}
		}
		scan = record.Scan{Place: p, Spec: spec, Started: time.UnixMilli(now.UnixMilli()).UTC(), Total: -1}
		return tx.QueryRowContext(ctx, `INSERT INTO scan (binding, side, full, since, scope, mapping, started)
			VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) RETURNING id`, p.Binding, p.Side, sqlite.Flag(spec.Full), spec.Since,
			spec.Scope, spec.Mapping, now.UnixMilli()).Scan(&scan.ID)
	})
	return scan, err
}

// knownRows returns how many rows the last complete list of each side of a binding had, the longer list of the
// two.
func knownRows(ctx context.Context, tx *sql.Tx, b record.Binding) (n int, err error) {
	for _, side := range record.Sides {
		var rows int
		err := tx.QueryRowContext(ctx, `SELECT coalesce(max(row_count), 0) FROM (SELECT row_count FROM scan
			WHERE binding = ?1 AND side = ?2 AND full = 1 AND complete = 1 ORDER BY id DESC LIMIT 1)`, b, side).Scan(&rows)
		if err != nil {
			return 0, err
		}
		n = max(n, rows)
	}
	return n, nil
}

// closeScan ends a scan and drops its bitmap, which nothing needs any more.
func closeScan(ctx context.Context, tx *sql.Tx, id int64, now time.Time, set string, args ...any) error {
	err := sqlite.Exec(ctx, tx, `UPDATE scan SET ended = ?2, `+set+` WHERE id = ?1`, append([]any{id, now.UnixMilli()}, args...)...)
	if err != nil {
		return err
	}
	return sqlite.Exec(ctx, tx, `DELETE FROM presence WHERE scan = ?1`, id)
}

// SeePage stores what one or several pages showed, marks their entries as present and moves the cursor of the
// scan, in one transaction. It returns how many of the items the scan had shown before. If there are any, the scan
// gets a flaw.
func (s *Store) SeePage(ctx context.Context, l record.Lease, p record.Place, page record.PageSeen) (doubles int, err error) {
	var touched []int64
	before := s.db.Commits.Load()
	err = s.db.Lease(ctx, l, "see page", func(ctx context.Context, tx *sql.Tx) error {
		if err := s.db.MayRead(); err != nil {
			return err
		}
		open, ok, err := openScan(ctx, tx, p)
		if err != nil {
			return err
		}
		if !ok || open.ID != page.Scan {
			return fmt.Errorf("scan %d: %w", page.Scan, sqlite.ErrScanOver)
		}
		nums, err := seeItems(ctx, tx, l, p, open.Spec.Mapping, true, page.Items)
		if err != nil {
			return err
		}
		if doubles, err = mark(ctx, tx, p.Binding, page.Scan, page.Present, nums); err != nil {
			return err
		}
		if err := shownAway(ctx, tx, page); err != nil {
			return err
		}
		nums = append(nums, page.Away...)
		text, err := sqlite.Encode(nonNil(addFlaws(open.Flaws, page.Flaws...)))
		if err != nil {
			return err
		}
		touched = nums
		return sqlite.Exec(ctx, tx, `UPDATE scan SET cursor = ?2, pages = pages + ?7, row_count = row_count + ?3, total = ?4,
			doubles = doubles + ?5, flaws = ?6 WHERE id = ?1`, page.Scan, page.Next, page.Rows, page.Total, doubles, text, max(page.Pages, 1))
	})
	if err == nil {
		s.paged(p, before, touched)
	}
	return doubles, err
}

func nonNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// EndScan ends a scan. If the scan was full and complete, each record that it did not show becomes a Suspect,
// unless the record is known to be absent, or was first seen or written while the scan ran. If a record was first
// seen after the end of the scan, by the clock, the clock was set back since: the record was known before.
// suspects is how many records that the scan did not show are Suspect now.
func (s *Store) EndScan(ctx context.Context, l record.Lease, scan int64, c record.Certificate) (suspects int, err error) {
	err = s.db.Lease(ctx, l, "end scan", func(ctx context.Context, tx *sql.Tx) error {
		open, ok, err := sqlite.First(sqlite.Collect(ctx, tx, scanScan, `SELECT `+scanColumns+` FROM scan
			WHERE id = ?1 AND binding = ?2 AND ended IS NULL`, scan, l.Binding))
		if err != nil {
			return err
		}
		if !ok {
			return fmt.Errorf("scan %d: %w", scan, sqlite.ErrScanOver)
		}
		open.Ended = c.Ended
		if c.Complete && open.Spec.Full {
			if suspects, err = suspect(ctx, tx, open); err != nil {
				return err
			}
		}
		if err := measureUpdates(ctx, tx, open); err != nil {
			return err
		}
		if err := storeCursor(ctx, tx, open.Place, c.Next); err != nil {
			return err
		}
		text, err := sqlite.Encode(nonNil(addFlaws(open.Flaws, c.Flaws...)))
		if err != nil {
			return err
		}
		return closeScan(ctx, tx, scan, c.Ended, `complete = ?3, flaws = ?4`, sqlite.Flag(c.Complete), text)
	})
	for _, side := range record.Sides {
		s.forget(record.Place{Binding: l.Binding, Side: side})
	}
	return suspects, err
}

// suspect makes the records Suspect that a complete scan did not show, and returns how many these are.
func suspect(ctx context.Context, tx *sql.Tx, scan PastScan) (suspects int, err error) {
	shown, err := presenceOf(ctx, tx, scan.ID)
	if err != nil {
		return 0, err
	}
	if err := measureLag(ctx, tx, scan, shown); err != nil {
		return 0, err
	}
	if all, err := showsAll(ctx, tx, scan.Place, shown); err != nil || all {
		return 0, err
	}
	unseen, err := unshown(ctx, tx, scan, shown)
	if err != nil {
		return 0, err
	}
	for _, num := range unseen {
		suspects++
		err := sqlite.Exec(ctx, tx, `UPDATE entry SET state = ?2, why = 'unseen in a complete scan', listed = NULL
			WHERE num = ?1 AND state <> ?2`, num, record.Suspect)
		if err != nil {
			return 0, err
		}
	}
	return suspects, nil
}

// shownAway makes a record Suspect if a page showed it only to say that it is not there any more. It is read by
// its id then, like a record that a complete scan did not show. A record that was written since is left to the
// next list.
func shownAway(ctx context.Context, tx *sql.Tx, page record.PageSeen) error {
	for _, num := range page.Away {
		err := sqlite.Exec(ctx, tx, `UPDATE entry SET state = ?2, why = 'a list says that it is not there any more', listed = NULL
			WHERE num = ?1 AND state NOT IN (?2, `+sqlite.EntryGone+`, `+sqlite.EntryOutOfScope+`) AND (acked IS NULL OR acked < ?3)`,
			num, record.Suspect, page.At.UnixMilli())
		if err != nil {
			return err
		}
	}
	return nil
}

// showsAll reports whether a scan showed every entry of its place that is not known to be absent. It counts in
// indexes alone: most scans show every entry, and need no more than that.
func showsAll(ctx context.Context, tx *sql.Tx, p record.Place, shown bitmap) (bool, error) {
	var entries int
	err := tx.QueryRowContext(ctx, `SELECT count(*) FROM entry WHERE binding = ?1 AND side = ?2`, p.Binding, p.Side).Scan(&entries)
	if err != nil {
		return false, err
	}
	gone, err := sqlite.Collect(ctx, tx, sqlite.Number, `SELECT num FROM entry WHERE binding = ?1 AND side = ?2
		AND state <> '' AND state IN `+sqlite.EntriesAway, p.Binding, p.Side) // the first condition is that of the index
	if err != nil {
		return false, err
	}
	present := shown.count()
	for _, num := range gone {
		if shown.has(num) {
			present--
		}
	}
	return present == entries-len(gone), nil
}

// sweep is how many entries one query looks at. With a row for each entry, the query would cost more than all else
// at the end of a scan that found no change.
const sweep = 16 * chunkSize

// unshown returns the numbers of the entries that a scan should have shown, and did not.
func unshown(ctx context.Context, tx *sql.Tx, scan PastScan, shown bitmap) (nums []int64, err error) {
	var last int64
	if err := tx.QueryRowContext(ctx, `SELECT coalesce(max(num), 0) FROM entry`).Scan(&last); err != nil {
		return nil, err
	}
	for from := int64(0); from <= last; from += sweep {
		var list string
		err := tx.QueryRowContext(ctx, `SELECT coalesce(group_concat(num), '') FROM entry WHERE num >= ?4 AND num < ?5
			AND binding = ?1 AND side = ?2
			AND state NOT IN `+sqlite.EntriesAway+` AND (since < ?3 OR since > ?6) AND (acked IS NULL OR acked < ?3)`,
			scan.Place.Binding, scan.Place.Side, scan.Started.UnixMilli(), from, from+sweep, scan.Ended.UnixMilli()).Scan(&list)
		if err != nil {
			return nil, err
		}
		for text := range strings.SplitSeq(list, ",") {
			if text == "" {
				continue
			}
			num, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				return nil, fmt.Errorf("read numbers of entries: %w", err)
			}
			if !shown.has(num) {
				nums = append(nums, num)
			}
		}
	}
	return nums, nil
}

func storeCursor(ctx context.Context, tx *sql.Tx, p record.Place, next record.Cursor) error {
	if next == "" {
		return nil
	}
	column := "left_since"
	if p.Side == record.Right {
		column = "right_since"
	}
	return sqlite.Exec(ctx, tx, `UPDATE binding SET `+column+` = ?2 WHERE binding = ?1`, p.Binding, next)
}

// SinceCursor returns where the next incremental scan of a place starts, empty if no scan has said.
func (s *Store) SinceCursor(ctx context.Context, p record.Place) (record.Cursor, error) {
	var since [2]record.Cursor
	err := s.db.Reader.QueryRowContext(ctx, `SELECT left_since, right_since FROM binding WHERE binding = ?1`, p.Binding).
		Scan(&since[0], &since[1])
	if sqlite.IsNone(err) {
		return "", nil
	}
	return since[p.Side], s.db.Explain("read cursor", err)
}

// Scans returns the last n full scans of a place that came to their end, newest first.
func (s *Store) Scans(ctx context.Context, p record.Place, n int) ([]PastScan, error) {
	return sqlite.List(ctx, s.db, "read scans", scanScan, `SELECT `+scanColumns+` FROM scan
		WHERE binding = ?1 AND side = ?2 AND full = 1 AND abandoned = 0 AND ended IS NOT NULL
		ORDER BY id DESC LIMIT ?3 + 0`, p.Binding, p.Side, n)
}
