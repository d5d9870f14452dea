package links

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"nightporter/state/internal/entries"
	"nightporter/state/internal/journal"
	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// A system may give the id of a record that is gone to a new record. What is known under the id is of the former
// record. The former record keeps its entry, with its link and its tombstone, under an id that no record of its
// system has. The new record begins with nothing.

// madeRow returns the entry of the record that a create made. ErrLinked says that the create may have ended at a
// record that is linked already.
func madeRow(ctx context.Context, tx *sql.Tx, i record.Intent, r record.Receipt) (*entries.Row, error) {
	rows, err := entries.ByID(ctx, tx, i.Place, []string{r.Ref.ID})
	if err != nil {
		return nil, err
	}
	known := rows[r.Ref.ID]
	switch {
	case known == nil:
		return entries.NewRow(ctx, i.Place, r.Ref, r.At), nil
	case known.IsFormer(i, r):
		return giveIDAgain(ctx, tx, known, i.Run, r.At)
	case known.Link != 0:
		return nil, fmt.Errorf("record %s: %w", known.Ref, sqlite.ErrLinked)
	}
	return known, nil
}

// giveIDAgain marks the record of an entry as gone, because another record has its id now, and returns a new entry
// for that other record. The rules decide what becomes of the former record's partner. Open changes to the former
// record are ended, also those of which nobody knows what became.
func giveIDAgain(ctx context.Context, tx *sql.Tx, r *entries.Row, run int64, now time.Time) (*entries.Row, error) {
	fresh := entries.NewRow(ctx, r.Place, r.Ref, now)
	why := fmt.Sprintf("its system gave the id %s to a record that was made since", r.Ref.ID)
	r.Ref.ID = formerID(r.Ref.ID, r.Num)
	if err := endChanges(ctx, tx, r, why, now); err != nil {
		return nil, err
	}
	if r.State == record.Gone {
		r.Unlist()
		return fresh, entries.Save(ctx, tx, r)
	}
	t := record.Tombstone{Evidence: record.EvidenceGivenAgain, Why: why, Run: run, At: now}
	return fresh, buryRow(ctx, tx, r, t)
}

// BeginAnew gives a new entry to the record that the id on this side of an ended link names now. Nothing is known
// of that record: it is read by id before anything is decided about it. The former record counts as gone, and its
// link is remembered.
func (s *Store) BeginAnew(ctx context.Context, l record.Lease, link record.LinkID, side record.Side, now time.Time) error {
	return s.db.Lease(ctx, l, "begin record anew", func(ctx context.Context, tx *sql.Tx) error {
		pair, err := entries.OfLink(ctx, tx, l.Binding, link)
		if err != nil {
			return err
		}
		r := pair[side]
		r.Seen, r.Keys = nil, nil // they are of the new record
		if err := sqlite.Exec(ctx, tx, `DELETE FROM entry_key WHERE entry = ?1`, r.Num); err != nil {
			return err
		}
		fresh, err := giveIDAgain(ctx, tx, r, l.Run, now)
		if err != nil {
			return err
		}
		fresh.Dirty, fresh.Recheck = true, now
		if err := entries.Save(ctx, tx, fresh); err != nil {
			return err
		}
		if err := wake(ctx, tx, fresh.Place, fresh.Ref); err != nil {
			return err
		}
		if pair[side.Other()].State != record.Gone { // the record across was left alone, and stays so
			return nil
		}
		return endLink(ctx, tx, link, record.LinkGone, now)
	})
}

// formerID is the id under which an entry is kept once another record has its own: "17 (former 4)". No system
// gives such an id.
func formerID(id string, num int64) string { return fmt.Sprintf("%s (former %d)", id, num) }

// endChanges cancels the open changes to a linked record that is not there any more.
func endChanges(ctx context.Context, tx *sql.Tx, r *entries.Row, why string, now time.Time) error {
	if r.Link == 0 {
		return nil
	}
	open, err := sqlite.Collect(ctx, tx, journal.ScanIntent, `SELECT `+journal.Columns+` FROM intent i
		WHERE i.link = ?1 AND i.side = ?2 AND i.state IN `+sqlite.IntentsOpen, r.Link, r.Place.Side)
	if err != nil {
		return err
	}
	for _, i := range open {
		if i.Change.Op == record.Create { // it is to make a record in place of the former one
			continue
		}
		if err := journal.Fail(ctx, tx, r.Place.Binding, i.ID, record.Cancelled, "", why, now); err != nil {
			return err
		}
	}
	return nil
}
