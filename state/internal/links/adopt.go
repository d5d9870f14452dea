package links

import (
	"context"
	"database/sql"
	"time"

	"nightporter/state/internal/asked"
	"nightporter/state/internal/entries"
	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

func insertLink(ctx context.Context, tx *sql.Tx, b record.Binding, entity string, now time.Time) (link record.LinkID, err error) {
	err = tx.QueryRowContext(ctx, `INSERT INTO link (binding, entity, made) VALUES (?1, ?2, ?3) RETURNING id`,
		b, entity, now.UnixMilli()).Scan(&link)
	if err != nil {
		return link, err
	}
	return link, standsAgain(ctx, tx, b, entity)
}

// attach makes an entry part of a link, and wakes the entries that wait for its record. What the entry itself
// waits for stays: a stay that was published without its guest is to be looked at again once the guest is known.
func attach(ctx context.Context, tx *sql.Tx, r *entries.Row, link record.LinkID, now time.Time) error {
	r.Link = link
	r.SettleState()
	if err := entries.Save(ctx, tx, r); err != nil {
		return err
	}
	err := asked.CloseEntries(ctx, tx, []int64{r.Num}, now)
	if err != nil {
		return err
	}
	return wake(ctx, tx, r.Place, r.Ref)
}

// Adopt settles a link without a write. The base of each side takes over the values given for it (nil: none).
// After that neither entry is marked to be looked at, and neither waits for anything.
func (s *Store) Adopt(ctx context.Context, l record.Lease, link record.LinkID, bases [2]record.Fields, now time.Time) error {
	return s.db.Lease(ctx, l, "adopt", func(ctx context.Context, tx *sql.Tx) error {
		pair, err := entries.OfLink(ctx, tx, l.Binding, link)
		if err != nil {
			return err
		}
		for side, r := range pair {
			r.Take(bases[side])
			r.Dirty = false
			r.SettleState()
			r.Unlist()
			if err := entries.Save(ctx, tx, r); err != nil {
				return err
			}
			if err := dropWaits(ctx, tx, r.Num); err != nil {
				return err
			}
			if err := dropMeant(ctx, tx, r.Num); err != nil {
				return err
			}
		}
		return nil
	})
}

// Park puts an entry aside in a state, with a sentence that says why, until the record changes. If a rule leaves
// the record out, open questions about it are closed.
func (s *Store) Park(ctx context.Context, l record.Lease, num int64, st record.EntryState, cause record.Cause, why string) error {
	return s.db.Lease(ctx, l, "park record", func(ctx context.Context, tx *sql.Tx) error {
		if err := dropWaits(ctx, tx, num); err != nil {
			return err
		}
		if st == record.LeftOut {
			err := asked.CloseEntries(ctx, tx, []int64{num}, time.Now())
			if err != nil {
				return err
			}
		}
		return sqlite.One(ctx, tx, sqlite.Unknown("entry %d of job %s", num, l.Binding),
			`UPDATE entry SET state = ?3, why = ?4, cause = ?5, dirty = 0, listed = NULL WHERE num = ?1 AND binding = ?2`,
			num, l.Binding, st, why, cause)
	})
}

// Judge stores what a read by id told of a record: it is Gone, OutOfScope, or InStep after all. recheck is when to
// read it again, zero for no such time. If the record has no link, open questions about it are closed, unless it
// is InStep.
func (s *Store) Judge(ctx context.Context, l record.Lease, num int64, st record.EntryState, why string, recheck, now time.Time) error {
	return s.db.Lease(ctx, l, "judge record", func(ctx context.Context, tx *sql.Tx) error {
		r, err := entries.ByNum(ctx, tx, l.Binding, num)
		if err != nil {
			return err
		}
		if st == record.InStep && entries.Absent(r.State) && r.Link == 0 {
			r.Dirty = true
		}
		r.State, r.Why, r.Recheck = st, why, recheck
		r.Unlist()
		if st == record.Gone {
			if err := r.Unpark(ctx, tx); err != nil {
				return err
			}
		}
		if st == record.Gone || st == record.OutOfScope {
			if err := unask(ctx, tx, r, now); err != nil {
				return err
			}
		}
		return entries.Save(ctx, tx, r)
	})
}

// unask closes the open questions about a record without a link that is gone or out of scope: nothing is made of
// it, whatever a person answers.
func unask(ctx context.Context, tx *sql.Tx, r *entries.Row, now time.Time) error {
	if r.Link != 0 {
		return nil
	}
	return asked.CloseEntries(ctx, tx, []int64{r.Num}, now)
}

// Touch marks entries, so that the next plan looks at them.
func (s *Store) Touch(ctx context.Context, l record.Lease, nums []int64) error {
	return s.db.Lease(ctx, l, "touch records", func(ctx context.Context, tx *sql.Tx) error {
		for _, num := range nums {
			err := sqlite.Exec(ctx, tx, `UPDATE entry SET dirty = 1, listed = NULL WHERE num = ?1 AND binding = ?2`, num, l.Binding)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// TouchAll marks all that an earlier configuration decided on: entries that have no link, or are not in step. An
// absent record is not marked: it comes back when a read shows it. A linked record that is gone is looked at again
// if a person was asked about it, and read again if nothing is remembered of what proved it.
func (s *Store) TouchAll(ctx context.Context, l record.Lease) error {
	return s.db.Lease(ctx, l, "touch all records", func(ctx context.Context, tx *sql.Tx) error {
		if err := touchGone(ctx, tx, l.Binding); err != nil {
			return err
		}
		return sqlite.Exec(ctx, tx, `UPDATE entry SET dirty = 1, listed = NULL WHERE binding = ?1
			AND (state <> '' OR link IS NULL) AND state NOT IN `+sqlite.EntriesUnsure, l.Binding)
	})
}
