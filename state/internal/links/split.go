package links

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"nightporter/state/internal/entries"
	"nightporter/sync/record"
)

// Split takes a link apart because a person said that the record of side is another one than was linked. That
// record is treated as if it had never had a link. The record across has lost its partner: a tombstone says why,
// and what becomes of the record is a question.
func (s *Store) Split(ctx context.Context, l record.Lease, link record.LinkID, side record.Side, why string, now time.Time) error {
	return s.db.Lease(ctx, l, "split link", func(ctx context.Context, tx *sql.Tx) error {
		pair, err := entries.OfLink(ctx, tx, l.Binding, link)
		if err != nil {
			return err
		}
		other := pair[side.Other()]
		lost := other.State != record.Gone && other.State != record.Stranger
		for _, r := range pair {
			if r.State == record.Stranger || r.Place.Side == side && r.State != record.Gone {
				r.State = record.Stranger // what is known belongs to the record that was linked
				if err := freeRow(ctx, tx, r, now); err != nil {
					return err
				}
			}
			r.Unlink()
			r.Dirty = r.State != record.Gone
			if err := entries.Save(ctx, tx, r); err != nil {
				return fmt.Errorf("record %s: %w", r.Ref, err)
			}
		}
		if lost {
			err = putTombstone(ctx, tx, record.Tombstone{
				Entry: other.Num, Place: other.Place, Evidence: record.EvidenceAnother,
				Why: why, Done: record.AfterUnlinked, Run: l.Run, At: now,
			})
			if err != nil {
				return err
			}
			entity, err := entityOf(ctx, tx, link)
			if err != nil {
				return err
			}
			if err := keepStood(ctx, tx, other, entity); err != nil {
				return err
			}
		}
		return endLink(ctx, tx, link, record.LinkGone, now)
	})
}
