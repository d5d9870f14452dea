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

// longBuried is how long a tombstone is kept.
const longBuried = 400 * 24 * time.Hour

const tombstoneColumns = `t.entry, t.binding, t.side, t.link, t.entity, t.evidence, t.why, t.moved, t.done, t.run, t.at, t.expires`

func scanTombstone(rows *sql.Rows) (t record.Tombstone, err error) {
	err = rows.Scan(&t.Entry, &t.Place.Binding, &t.Place.Side, &t.Link, &t.Entity, &t.Evidence, &t.Why, &t.Moved, &t.Done,
		&t.Run, sqlite.AsTime(&t.At), sqlite.AsTime(&t.Expires))
	return t, err
}

// Tombstone returns what is remembered of a record that is gone, or was gone; false if nothing is.
func (s *Store) Tombstone(ctx context.Context, entry int64) (record.Tombstone, bool, error) {
	return sqlite.Find(ctx, s.db, "read tombstone", scanTombstone, `SELECT `+tombstoneColumns+` FROM tombstone t WHERE t.entry = ?1`, entry)
}

// Revenants returns the tombstones of those records of a place that have no link, were gone, and are there again.
func (s *Store) Revenants(ctx context.Context, p record.Place) ([]record.Tombstone, error) {
	return sqlite.List(ctx, s.db, "read records that came back", scanTombstone, `SELECT `+tombstoneColumns+` FROM tombstone t
		CROSS JOIN entry e ON e.num = t.entry
		WHERE t.binding = ?1 AND t.side = ?2 AND e.link IS NULL AND e.state <> `+sqlite.EntryGone+` ORDER BY t.entry`, p.Binding, p.Side)
}

// Bury notes that a record is gone and what proved it, and marks its link to be looked at. t needs only the entry
// and the fields that say what proved it.
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

// buryRow notes that the record of an entry is gone: it saves the entry, and stores its tombstone.
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

// putTombstone stores a tombstone. If there is one for the same link already, what it says of the other record is
// kept, unless the new one says something.
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

// bury carries out what the receipt of our delete says: the record is gone, and its link ends. Where the record
// across is still there, the link is remembered as parted.
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

// endLink ends a link in a state in which it is only remembered, and closes all questions about it.
func endLink(ctx context.Context, tx *sql.Tx, link record.LinkID, st record.LinkState, now time.Time) error {
	if err := asked.CloseLink(ctx, tx, link, now); err != nil {
		return err
	}
	return setLinkState(ctx, tx, link, st)
}

// Part ends a link if at least one of its records is gone, or its id names another record now. st is a state in
// which the link is only remembered: LinkParted, LinkGone or LinkBroken. done is what the tombstones of the link
// say from now on; AfterNothing leaves them as they are. Questions about the link are closed, except with
// LinkBroken.
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
		if done == record.AfterUnlinked { // nobody asks any more whether that record was gone once
			err := sqlite.Exec(ctx, tx, `DELETE FROM tombstone WHERE entry IN (SELECT num FROM entry WHERE link = ?1 AND state = ?2)`, link, record.Stranger)
			if err != nil {
				return err
			}
		}
		return endLink(ctx, tx, link, st, now)
	})
}

// After notes, when one record of a link is gone, what came of the other one, and that the link was looked at. If
// a person has answered an open question about the link, the link is looked at again: the answer may have come
// since. With AfterIgnored the rule leaves the other record alone, and questions without an answer are closed.
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

// keepAnswered marks a link to be looked at if a question about it is open and has an answer.
func keepAnswered(ctx context.Context, tx *sql.Tx, link record.LinkID) error {
	return sqlite.Exec(ctx, tx, `UPDATE entry SET dirty = 1 WHERE link = ?1
		AND EXISTS (SELECT 1 FROM question WHERE link = ?1 AND closed IS NULL AND choice <> '')`, link)
}

func (s *Store) after(ctx context.Context, tx *sql.Tx, b record.Binding, link record.LinkID, done record.Aftermath) error {
	if err := entries.CheckLink(ctx, tx, b, link); err != nil {
		return err
	}
	if done != record.AfterNothing {
		// A tombstone of a record that is not in the link any more was dealt with already.
		err := sqlite.Exec(ctx, tx, `UPDATE tombstone SET done = ?2 WHERE link = ?1 AND evidence <> 'ours'
			AND entry IN (SELECT num FROM entry WHERE link = ?1)`, link, done)
		if err != nil {
			return err
		}
	}
	return sqlite.Exec(ctx, tx, `UPDATE entry SET dirty = 0, listed = NULL WHERE link = ?1`, link)
}

// Estrange notes that the id of a linked record names another record now: its entry is a Stranger.
func (s *Store) Estrange(ctx context.Context, l record.Lease, num int64, why string) error {
	return s.db.Lease(ctx, l, "estrange record", func(ctx context.Context, tx *sql.Tx) error {
		return sqlite.One(ctx, tx, sqlite.Unknown("entry %d of job %s", num, l.Binding),
			`UPDATE entry SET state = ?3, why = ?4, listed = NULL WHERE num = ?1 AND binding = ?2`, num, l.Binding, record.Stranger, why)
	})
}

// Free takes a link apart for good. The record of side is treated as if it had never had a link. The record across
// keeps its tombstone.
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

// freeRow makes an entry look as if it had never had a link, and forgets that its record was gone once. If its id
// names another record now, what is known belongs to the former record, and is forgotten as well.
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

// Rewire puts the entry with the number to into a link, in place of a record that is gone. That entry must have no
// link (ErrLinked) and no open create (ErrOpen). After that nothing counts as settled on either side: both records
// are merged as if they met for the first time.
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

// Rejoin makes a link live again that was only remembered: its records are the ones that were linked, whatever was
// noted of them.
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
				r.Recheck = now // what reads showed of it meanwhile was discarded
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

// touchGone has records of links that are gone looked at again. If nothing came of the record across yet, or a
// person was asked about it, the link is marked: the policy may be another one now. If there is no tombstone,
// nothing proves that the record is gone, and it is a suspect again.
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
