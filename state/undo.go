package state

import (
	"context"
	"database/sql"
	"fmt"

	"nightporter/sync/record"
)

// Undoes notes that the lease's run takes back what another run of its binding did.
func (s *Store) Undoes(ctx context.Context, l record.Lease, run int64) error {
	return s.lease(ctx, l, "note which run is undone", func(ctx context.Context, tx *sql.Tx) error {
		return one(ctx, tx, unknown("run %d", l.Run), `UPDATE run SET undoes = ?2 WHERE id = ?1 AND binding = ?3
			AND EXISTS (SELECT 1 FROM run r WHERE r.id = ?2 AND r.binding = ?3)`, l.Run, run, l.Binding)
	})
}

func scanJournaled(rows *sql.Rows) (record.Journaled, error) {
	c, err := scanChange(rows)
	return record.Journaled{Intent: c.Intent, Receipt: c.Receipt}, err
}

// MadeIn is the changes of a run of a binding, oldest first.
func (s *Store) MadeIn(ctx context.Context, b record.Binding, run int64) ([]record.Journaled, error) {
	found, err := collect(ctx, s.reader, scanJournaled, `SELECT `+intentColumns+` FROM intent i
		WHERE i.run = ?1 AND i.binding = ?2 ORDER BY i.made, i.id`, run, b)
	return found, s.explain("read changes of a run", err)
}

// MadeSince is the changes to one side of a link that were settled by later runs than
// the one named, oldest first.
func (s *Store) MadeSince(ctx context.Context, link record.LinkID, side record.Side, run int64) ([]record.Journaled, error) {
	found, err := collect(ctx, s.reader, scanJournaled, `SELECT `+intentColumns+` FROM intent i
		WHERE i.link = ?1 AND i.side = ?2 AND i.run > ?3 AND i.state = 'settled' ORDER BY i.made, i.id`, link, side, run)
	return found, s.explain("read later changes", err)
}

// LastRunOn is the last run that changed a record, or the one that it is linked to, and
// was answered; 0 if none did. A run that took back another one is not counted.
func (s *Store) LastRunOn(ctx context.Context, p record.Place, ref record.Ref) (int64, error) {
	var run sql.NullInt64
	err := s.reader.QueryRowContext(ctx, `SELECT max(i.run) FROM intent i WHERE i.state = 'settled' AND i.binding = ?1
		AND NOT EXISTS (SELECT 1 FROM run r WHERE r.id = i.run AND r.undoes <> 0) AND (
		(i.side = ?2 AND i.kind = ?3 AND i.ref = ?4)
		OR i.link IN (SELECT link FROM entry WHERE binding = ?1 AND side = ?2 AND id = ?4 AND kind = ?3))`,
		p.Binding, p.Side, ref.Kind, ref.ID).Scan(&run)
	return run.Int64, s.explain("read the last run on a record", err)
}

// renew puts the record that a create on a link has made in the place of the one that
// was deleted: the link goes on with it, or is only remembered where the record across
// is gone as well. What the record across was settled on stays.
func renew(ctx context.Context, tx *sql.Tx, i record.Intent, r record.Receipt, pair *[2]*row) error {
	side := i.Place.Side
	old := pair[side]
	if !usable(r.Ref.ID) {
		return fmt.Errorf("the receipt of a create names no new record: %w", ErrUnknown)
	}
	fresh, err := madeRow(ctx, tx, i, r)
	if err != nil {
		return err
	}
	if old, err = rowNum(ctx, tx, i.Place.Binding, old.Num); err != nil { // it may have lost its id to the new one
		return err
	}
	old.Link, old.Dirty = 0, false
	old.unlist()
	if err := save(ctx, tx, old); err != nil {
		return err
	}
	fresh.Link = i.Link
	fresh.settleState()
	pair[side] = fresh
	other, st := pair[side.Other()], record.LinkLive
	if other.State == record.Gone {
		st = record.LinkParted
	}
	if err := exec(ctx, tx, `UPDATE tombstone SET done = 'unlinked' WHERE entry = ?1`, other.Num); err != nil {
		return err
	}
	if err := exec(ctx, tx, `UPDATE tombstone SET done = 'rewired' WHERE entry = ?1`, old.Num); err != nil {
		return err
	}
	if err := rouse(ctx, tx, i.Entity); err != nil {
		return err
	}
	return exec(ctx, tx, `UPDATE link SET state = ?2 WHERE id = ?1`, i.Link, st)
}
