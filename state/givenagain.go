package state

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"nightporter/sync/record"
)

// A system may give an id again whose record is gone. What is known under the id is of the record
// that had it before: that one keeps its link and what proved that it is gone, under a name that no
// record of its system has, and the new one begins with nothing.

// madeRow is the entry of the record that a create made. ErrLinked says that it may be one that is
// linked already.
func madeRow(ctx context.Context, tx *sql.Tx, i record.Intent, r record.Receipt) (*row, error) {
	rows, err := rowsOfPlace(ctx, tx, i.Place, []string{r.Ref.ID})
	if err != nil {
		return nil, err
	}
	known := rows[r.Ref.ID]
	switch {
	case known == nil:
		return newRow(ctx, i.Place, r.Ref, r.At), nil
	case known.isFormer(i, r):
		return known.giveIDAgain(ctx, tx, i.Run, r.At)
	case known.Link != 0:
		return nil, fmt.Errorf("record %s: %w", known.Ref, ErrLinked)
	}
	return known, nil
}

func newRow(ctx context.Context, p record.Place, ref record.Ref, since time.Time) *row {
	return &row{Entry: record.Entry{Place: p, Ref: ref, Since: since}, seal: sealOf(ctx)}
}

// isFormer reports whether what is known under the id of a record that a create made is of another
// one, which had the id before: it was gone, or was made at another time, or the create is known to
// have made a record of its own.
func (r *row) isFormer(i record.Intent, a record.Receipt) bool {
	born, known := r.born()
	switch {
	case r.Damaged != "":
		return false
	case r.Link == 0: // a list may have shown the new one before its answer was kept
		before := r.State == record.Gone || r.Seen != nil && r.Seen.At.Before(i.SentAt)
		return !a.Adopted && before && (a.New || r.State == record.Gone)
	case known && !a.Created.IsZero() && !sameBirth(born, a.Created):
		return true
	}
	return a.New || r.State == record.Gone && (!a.Adopted || r.Link == i.Link) // of its own link it was made to take the place
}

// giveIDAgain has the record of an entry be gone, for another one has its id, and gives the entry of
// that one. What becomes of its partner is decided by the rules. Changes of it of which nobody knows
// what became of them are over.
func (r *row) giveIDAgain(ctx context.Context, tx *sql.Tx, run int64, now time.Time) (*row, error) {
	fresh := newRow(ctx, r.Place, r.Ref, now)
	why := fmt.Sprintf("its system gave the id %s to a record that was made since", r.Ref.ID)
	r.Ref.ID = formerID(r.Ref.ID, r.Num)
	if err := endChanges(ctx, tx, r, why, now); err != nil {
		return nil, err
	}
	if r.State == record.Gone {
		r.unlist()
		return fresh, save(ctx, tx, r)
	}
	t := record.Tombstone{Evidence: record.EvidenceGivenAgain, Why: why, Run: run, At: now}
	return fresh, r.bury(ctx, tx, t)
}

// BeginAnew has what the id of an ended link's record names now be a new record, of which nothing is
// known: it is read by id before anything is made of it. The one that had the id before is gone as it
// was, and its link is remembered.
func (s *Store) BeginAnew(ctx context.Context, l record.Lease, link record.LinkID, side record.Side, now time.Time) error {
	return s.lease(ctx, l, "begin record anew", func(ctx context.Context, tx *sql.Tx) error {
		pair, err := linkRows(ctx, tx, l.Binding, link)
		if err != nil {
			return err
		}
		r := pair[side]
		r.Seen, r.Keys = nil, nil // they are of the new one
		if err := exec(ctx, tx, `DELETE FROM entry_key WHERE entry = ?1`, r.Num); err != nil {
			return err
		}
		fresh, err := r.giveIDAgain(ctx, tx, l.Run, now)
		if err != nil {
			return err
		}
		fresh.Dirty, fresh.Recheck = true, now
		if err := save(ctx, tx, fresh); err != nil {
			return err
		}
		if err := wake(ctx, tx, fresh.Place, fresh.Ref); err != nil {
			return err
		}
		if pair[side.Other()].State != record.Gone { // it was left to itself, and stays so
			return nil
		}
		return endLink(ctx, tx, link, record.LinkGone, now)
	})
}

// formerID names an entry whose id another record has now. No system gives such an id.
func formerID(id string, num int64) string { return fmt.Sprintf("%s (former %d)", id, num) }

// endChanges ends the open changes of a record that is not there any more.
func endChanges(ctx context.Context, tx *sql.Tx, r *row, why string, now time.Time) error {
	if r.Link == 0 {
		return nil
	}
	open, err := collect(ctx, tx, scanIntent, `SELECT `+intentColumns+` FROM intent i
		WHERE i.link = ?1 AND i.side = ?2 AND i.state IN ('prepared', 'sent', 'held')`, r.Link, r.Place.Side)
	if err != nil {
		return err
	}
	for _, i := range open {
		if i.Change.Op == record.Create { // it is to take the place
			continue
		}
		if err := fail(ctx, tx, r.Place.Binding, i.ID, record.Cancelled, "", why, now); err != nil {
			return err
		}
	}
	return nil
}
