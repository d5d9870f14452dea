package links

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"nightporter/state/internal/asked"
	"nightporter/state/internal/entries"
	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// longBuried is how long it is remembered that a record is gone.
const longBuried = 400 * 24 * time.Hour

const tombstoneColumns = `t.entry, t.binding, t.side, t.link, t.entity, t.evidence, t.why, t.moved, t.done, t.run, t.at, t.expires`

func scanTombstone(rows *sql.Rows) (t record.Tombstone, err error) {
	err = rows.Scan(&t.Entry, &t.Place.Binding, &t.Place.Side, &t.Link, &t.Entity, &t.Evidence, &t.Why, &t.Moved, &t.Done,
		&t.Run, sqlite.AsTime(&t.At), sqlite.AsTime(&t.Expires))
	return t, err
}

// Tombstone is what is remembered of a record that is gone, or was; false if nothing.
func (s *Store) Tombstone(ctx context.Context, entry int64) (record.Tombstone, bool, error) {
	return sqlite.Find(ctx, s.db, "read tombstone", scanTombstone, `SELECT `+tombstoneColumns+` FROM tombstone t WHERE t.entry = ?1`, entry)
}

// Revenants is the records of a place without a link that were gone and are there
// again.
func (s *Store) Revenants(ctx context.Context, p record.Place) ([]record.Tombstone, error) {
	return sqlite.List(ctx, s.db, "read records that came back", scanTombstone, `SELECT `+tombstoneColumns+` FROM tombstone t
		CROSS JOIN entry e ON e.num = t.entry
		WHERE t.binding = ?1 AND t.side = ?2 AND e.link IS NULL AND e.state <> `+sqlite.EntryGone+` ORDER BY t.entry`, p.Binding, p.Side)
}

// Bury notes that a record is gone, what proved it, and that its link is to be looked
// at. Of a tombstone's fields those are needed that say what proved it.
func (s *Store) Bury(ctx context.Context, l record.Lease, t record.Tombstone) error {
	return s.db.Lease(ctx, l, "bury record", func(ctx context.Context, tx *sql.Tx) error {
		r, err := entries.ByNum(ctx, tx, l.Binding, t.Entry)
		if err != nil {
			return err
		}
		if t.Run == 0 {
			t.Run = l.Run
		}
		return buryRow(ctx, tx, r, t)
	})
}

// buryRow notes of an entry that its record is gone, and saves it.
func buryRow(ctx context.Context, tx *sql.Tx, r *entries.Row, t record.Tombstone) error {
	r.State, r.Why, r.Recheck = record.Gone, t.Why, time.Time{}
	r.Dirty = r.Link != 0
	r.Unlist()
	if err := entries.Save(ctx, tx, r); err != nil {
		return err
	}
	if err := r.Unpark(ctx, tx); err != nil {
		return err
	}
	if err := unask(ctx, tx, r, t.At); err != nil {
		return err
	}
	if err := meantIsGone(ctx, tx, r.Num); err != nil {
		return err
	}
	t.Entry, t.Place, t.Link = r.Num, r.Place, r.Link
	return putTombstone(ctx, tx, t)
}

// putTombstone stores a tombstone. What came of the other record of the same link is
// not forgotten by a second proof.
func putTombstone(ctx context.Context, tx *sql.Tx, t record.Tombstone) error {
	if t.Link != 0 && t.Entity == "" {
		err := tx.QueryRowContext(ctx, `SELECT entity FROM link WHERE id = ?1`, t.Link).Scan(&t.Entity)
		if err != nil {
			return err
		}
	}
	return sqlite.Exec(ctx, tx, `INSERT INTO tombstone (entry, binding, side, link, entity, evidence, why, moved, done, run, at, expires)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
		ON CONFLICT (entry) DO UPDATE SET done = CASE WHEN link = excluded.link AND excluded.done = '' THEN done ELSE excluded.done END,
		link = excluded.link, entity = excluded.entity, evidence = excluded.evidence, why = excluded.why,
		moved = excluded.moved, run = excluded.run, at = excluded.at, expires = excluded.expires`,
		t.Entry, t.Place.Binding, t.Place.Side, t.Link, t.Entity, t.Evidence, t.Why, t.Moved, t.Done, t.Run,
		t.At.UnixMilli(), t.At.Add(longBuried).UnixMilli())
}

// bury does what the receipt of a delete of ours says: the record is gone, and its link
// ends, or is only remembered where the record across is still there.
func bury(ctx context.Context, tx *sql.Tx, i record.Intent, a record.Receipt, target, other *entries.Row) error {
	why := "it was deleted here because " + i.Reason
	done := record.AfterNothing
	if other != nil {
		done = record.AfterUnlinked
		if other.State == record.Gone {
			done = record.AfterBoth
		}
	}
	err := buryRow(ctx, tx, target, record.Tombstone{Evidence: record.EvidenceOurs, Why: why, Done: done, Run: i.Run, At: a.At})
	if err != nil || other == nil {
		return err
	}
	target.Dirty, other.Dirty = false, false
	st := record.LinkParted
	if other.State == record.Gone {
		st = record.LinkGone
		if err := noteAftermath(ctx, tx, other.Num, record.AfterDeleted); err != nil {
			return err
		}
	}
	return endLink(ctx, tx, i.Link, st, a.At)
}

// endLink has a link only be remembered: what was asked about it is closed.
func endLink(ctx context.Context, tx *sql.Tx, link record.LinkID, st record.LinkState, now time.Time) error {
	if err := asked.CloseLink(ctx, tx, link, now); err != nil {
		return err
	}
	return setLinkState(ctx, tx, link, st)
}

// Part ends a link, of which at least one record is gone or has become another, in a
// state in which it is only remembered: LinkParted, LinkGone or LinkBroken. done is
// what its tombstones say from now on; "" leaves that. What was asked about it is
// closed, but for LinkBroken.
func (s *Store) Part(ctx context.Context, l record.Lease, link record.LinkID, st record.LinkState, done record.Aftermath, now time.Time) error {
	return s.db.Lease(ctx, l, "part link", func(ctx context.Context, tx *sql.Tx) error {
		if !st.Ended() {
			return fmt.Errorf("part link %d: %q is no state of a link that is only remembered", link, st)
		}
		if err := s.after(ctx, tx, l.Binding, link, done); err != nil {
			return err
		}
		if st == record.LinkBroken {
			if err := keepAnswered(ctx, tx, link); err != nil {
				return err
			}
			return setLinkState(ctx, tx, link, st)
		}
		if done == record.AfterUnlinked { // that it was gone once is nobody's question any more
			err := sqlite.Exec(ctx, tx, `DELETE FROM tombstone WHERE entry IN (SELECT num FROM entry WHERE link = ?1 AND state = ?2)`, link, record.Stranger)
			if err != nil {
				return err
			}
		}
		return endLink(ctx, tx, link, st, now)
	})
}

// After notes what came of the other record of a link of which one is gone, and that
// the link was looked at. One about which a person was asked and has answered is looked
// at again: the answer may have come since. What was asked and not answered is closed where the
// rule leaves the other record alone.
func (s *Store) After(ctx context.Context, l record.Lease, link record.LinkID, done record.Aftermath) error {
	return s.db.Lease(ctx, l, "note aftermath", func(ctx context.Context, tx *sql.Tx) error {
		if err := s.after(ctx, tx, l.Binding, link, done); err != nil {
			return err
		}
		if done == record.AfterIgnored {
			err := asked.CloseUnanswered(ctx, tx, link, time.Now())
			if err == nil {
				err = entries.UpdateLinkState(ctx, tx, link)
			}
			if err != nil {
				return err
			}
		}
		return keepAnswered(ctx, tx, link)
	})
}

// keepAnswered marks a link of which a question that is still open was answered.
func keepAnswered(ctx context.Context, tx *sql.Tx, link record.LinkID) error {
	return sqlite.Exec(ctx, tx, `UPDATE entry SET dirty = 1 WHERE link = ?1
		AND EXISTS (SELECT 1 FROM question WHERE link = ?1 AND closed IS NULL AND choice <> '')`, link)
}

func (s *Store) after(ctx context.Context, tx *sql.Tx, b record.Binding, link record.LinkID, done record.Aftermath) error {
	if err := entries.CheckLink(ctx, tx, b, link); err != nil {
		return err
	}
	if done != record.AfterNothing {
		// One that the link went on without was dealt with already.
		err := sqlite.Exec(ctx, tx, `UPDATE tombstone SET done = ?2 WHERE link = ?1 AND evidence <> 'ours'
			AND entry IN (SELECT num FROM entry WHERE link = ?1)`, link, done)
		if err != nil {
			return err
		}
	}
	return sqlite.Exec(ctx, tx, `UPDATE entry SET dirty = 0, listed = NULL WHERE link = ?1`, link)
}

// Estrange notes that the id of a record names another one than was linked.
func (s *Store) Estrange(ctx context.Context, l record.Lease, num int64, why string) error {
	return s.db.Lease(ctx, l, "estrange record", func(ctx context.Context, tx *sql.Tx) error {
		return sqlite.One(ctx, tx, sqlite.Unknown("entry %d of job %s", num, l.Binding),
			`UPDATE entry SET state = ?3, why = ?4, listed = NULL WHERE num = ?1 AND binding = ?2`, num, l.Binding, record.Stranger, why)
	})
}

// Free takes a link apart for good: the record of side is as if it had never had one,
// and the one across keeps its tombstone.
func (s *Store) Free(ctx context.Context, l record.Lease, link record.LinkID, side record.Side, now time.Time) error {
	return s.db.Lease(ctx, l, "free record", func(ctx context.Context, tx *sql.Tx) error {
		pair, err := entries.OfLink(ctx, tx, l.Binding, link)
		if err != nil {
			return err
		}
		entity, err := entityOf(ctx, tx, link)
		if err != nil {
			return err
		}
		for _, r := range pair {
			if r.Place.Side == side {
				if r.State != record.Stranger {
					if err := keepStood(ctx, tx, r, entity); err != nil {
						return err
					}
				}
				if err := freeRow(ctx, tx, r, now); err != nil {
					return err
				}
			}
			r.Unlink()
			if err := entries.Save(ctx, tx, r); err != nil {
				return err
			}
		}
		err = noteAftermath(ctx, tx, pair[side.Other()].Num, record.AfterUnlinked)
		if err != nil {
			return err
		}
		return endLink(ctx, tx, link, record.LinkGone, now)
	})
}

// freeRow has an entry be as if it had never had a link. Nobody asks any more whether its record
// was gone once. What is known of a stranger belongs to another record, and is forgotten.
func freeRow(ctx context.Context, tx *sql.Tx, r *entries.Row, now time.Time) error {
	if r.State == record.Stranger {
		r.BeginAnew(now)
		if err := sqlite.Exec(ctx, tx, `DELETE FROM entry_key WHERE entry = ?1`, r.Num); err != nil {
			return err
		}
	}
	r.State, r.Why, r.Dirty = record.InStep, "", true
	return forgetGone(ctx, tx, r.Num)
}

// Rewire gives a link another record in place of one that is gone: the one of number
// to, which must have no link and no open create. Nothing of either side counts as settled after that, so
// that what they hold is merged as at a first contact.
func (s *Store) Rewire(ctx context.Context, l record.Lease, link record.LinkID, side record.Side, to int64, now time.Time) error {
	return s.db.Lease(ctx, l, "rewire link", func(ctx context.Context, tx *sql.Tx) error {
		pair, err := entries.OfLink(ctx, tx, l.Binding, link)
		if err != nil {
			return err
		}
		fresh, err := entries.ByNum(ctx, tx, l.Binding, to)
		if err != nil {
			return err
		}
		if fresh.Link != 0 {
			return fmt.Errorf("record %s: %w", fresh.Ref, sqlite.ErrLinked)
		}
		switch busy, err := createsOf(ctx, tx, []int64{to}); {
		case err != nil:
			return err
		case busy[to]:
			return fmt.Errorf("record %s: %w", fresh.Ref, sqlite.ErrOpen)
		}
		old, other := pair[side], pair[side.Other()]
		old.Unlink()
		old.Dirty = false
		if err := entries.Save(ctx, tx, old); err != nil {
			return err
		}
		if err := noteAftermath(ctx, tx, old.Num, record.AfterRewired); err != nil {
			return err
		}
		other.Unlink()
		for _, r := range []*entries.Row{fresh, other} {
			r.Dirty = true
			if err := attach(ctx, tx, r, link, now); err != nil {
				return err
			}
		}
		if err := asked.CloseLink(ctx, tx, link, now); err != nil {
			return err
		}
		return setLinkState(ctx, tx, link, record.LinkLive)
	})
}

// Rejoin has a link that was only remembered go on: its records are what they were
// taken for, whatever is remembered of them.
func (s *Store) Rejoin(ctx context.Context, l record.Lease, link record.LinkID, now time.Time) error {
	return s.db.Lease(ctx, l, "rejoin records", func(ctx context.Context, tx *sql.Tx) error {
		pair, err := entries.OfLink(ctx, tx, l.Binding, link)
		if err != nil {
			return err
		}
		for _, r := range pair {
			r.Dirty = true
			r.Unlist()
			if r.State == record.Stranger {
				r.State, r.Why, r.Witness = record.InStep, "", record.SaidWitness
				r.Recheck = now // what was shown of it meanwhile was not believed
			}
			if err := entries.Save(ctx, tx, r); err != nil {
				return err
			}
			if r.State != record.Gone {
				if err := forgetGone(ctx, tx, r.Num); err != nil {
					return err
				}
			}
		}
		if err := asked.CloseLink(ctx, tx, link, now); err != nil {
			return err
		}
		return setLinkState(ctx, tx, link, record.LinkLive)
	})
}

// touchGone has what is known of records that are gone looked at again: those about
// which a person was asked, for the policy may be another now, and those of which
// nothing proves it.
func touchGone(ctx context.Context, tx *sql.Tx, b record.Binding) error {
	err := sqlite.Exec(ctx, tx, `UPDATE entry SET state = `+sqlite.EntrySuspect+`, why = ?2, listed = NULL
		WHERE binding = ?1 AND side IN (0, 1) AND state <> '' AND state = `+sqlite.EntryGone+` AND link IS NOT NULL
		AND NOT EXISTS (SELECT 1 FROM tombstone t WHERE t.entry = num)`, b, entries.ReadAgain)
	if err != nil {
		return err
	}
	return sqlite.Exec(ctx, tx, `UPDATE entry SET dirty = 1 WHERE num IN (SELECT entry FROM tombstone WHERE done IN ('', 'held') AND link <> 0)
		AND binding = ?1 AND state = `+sqlite.EntryGone, b)
}
