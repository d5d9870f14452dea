package state

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"nightporter/sync/record"
)

// longBuried is how long it is remembered that a record is gone.
const longBuried = 400 * 24 * time.Hour

const tombstoneColumns = `t.entry, t.binding, t.side, t.link, t.entity, t.evidence, t.why, t.moved, t.done, t.run, t.at, t.expires`

func scanTombstone(rows *sql.Rows) (t record.Tombstone, err error) {
	var at, expires sql.NullInt64
	err = rows.Scan(&t.Entry, &t.Place.Binding, &t.Place.Side, &t.Link, &t.Entity, &t.Evidence, &t.Why, &t.Moved, &t.Done,
		&t.Run, &at, &expires)
	t.At, t.Expires = instant(at), instant(expires)
	return t, err
}

// Tombstone is what is remembered of a record that is gone, or was; false if nothing.
func (s *Store) Tombstone(ctx context.Context, entry int64) (record.Tombstone, bool, error) {
	t, ok, err := first(collect(ctx, s.reader, scanTombstone, `SELECT `+tombstoneColumns+` FROM tombstone t WHERE t.entry = ?1`, entry))
	return t, ok, s.explain("read tombstone", err)
}

// Revenants is the records of a place without a link that were gone and are there
// again.
func (s *Store) Revenants(ctx context.Context, p record.Place) ([]record.Tombstone, error) {
	found, err := collect(ctx, s.reader, scanTombstone, `SELECT `+tombstoneColumns+` FROM tombstone t
		CROSS JOIN entry e ON e.num = t.entry
		WHERE t.binding = ?1 AND t.side = ?2 AND e.link IS NULL AND e.state <> 'gone' ORDER BY t.entry`, p.Binding, p.Side)
	return found, s.explain("read records that came back", err)
}

// Bury notes that a record is gone, what proved it, and that its link is to be looked
// at. Of a tombstone's fields those are needed that say what proved it.
func (s *Store) Bury(ctx context.Context, l record.Lease, t record.Tombstone) error {
	return s.lease(ctx, l, "bury record", func(ctx context.Context, tx *sql.Tx) error {
		r, err := rowNum(ctx, tx, l.Binding, t.Entry)
		if err != nil {
			return err
		}
		if t.Run == 0 {
			t.Run = l.Run
		}
		return r.bury(ctx, tx, t)
	})
}

// bury lays an entry to rest and saves it.
func (r *row) bury(ctx context.Context, tx *sql.Tx, t record.Tombstone) error {
	r.State, r.Why, r.Recheck = record.Gone, t.Why, time.Time{}
	r.Dirty = r.Link != 0
	r.unlist()
	if err := save(ctx, tx, r); err != nil {
		return err
	}
	if err := r.unpark(ctx, tx); err != nil {
		return err
	}
	if err := r.unask(ctx, tx, t.At); err != nil {
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
	return exec(ctx, tx, `INSERT INTO tombstone (entry, binding, side, link, entity, evidence, why, moved, done, run, at, expires)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
		ON CONFLICT (entry) DO UPDATE SET done = CASE WHEN link = excluded.link AND excluded.done = '' THEN done ELSE excluded.done END,
		link = excluded.link, entity = excluded.entity, evidence = excluded.evidence, why = excluded.why,
		moved = excluded.moved, run = excluded.run, at = excluded.at, expires = excluded.expires`,
		t.Entry, t.Place.Binding, t.Place.Side, t.Link, t.Entity, t.Evidence, t.Why, t.Moved, t.Done, t.Run,
		t.At.UnixMilli(), t.At.Add(longBuried).UnixMilli())
}

// dropTombstone forgets that a record was gone, unless something was done because of
// it: then its coming back is a question.
func dropTombstone(ctx context.Context, tx *sql.Tx, entry int64) error {
	return exec(ctx, tx, `DELETE FROM tombstone WHERE entry = ?1 AND done IN ('', 'held', 'ignored')`, entry)
}

// bury does what the receipt of a delete of ours says: the record is gone, and its link
// ends, or is only remembered where the record across is still there.
func bury(ctx context.Context, tx *sql.Tx, i record.Intent, a record.Receipt, target, other *row) error {
	why := "it was deleted here because " + i.Reason
	done := record.AfterNothing
	if other != nil {
		done = record.AfterUnlinked
		if other.State == record.Gone {
			done = record.AfterBoth
		}
	}
	err := target.bury(ctx, tx, record.Tombstone{Evidence: record.EvidenceOurs, Why: why, Done: done, Run: i.Run, At: a.At})
	if err != nil || other == nil {
		return err
	}
	target.Dirty, other.Dirty = false, false
	st := record.LinkParted
	if other.State == record.Gone {
		st = record.LinkGone
		if err := exec(ctx, tx, `UPDATE tombstone SET done = ?2 WHERE entry = ?1`, other.Num, record.AfterDeleted); err != nil {
			return err
		}
	}
	return endLink(ctx, tx, i.Link, st, a.At)
}

// endLink has a link only be remembered: what was asked about it is closed.
func endLink(ctx context.Context, tx *sql.Tx, link record.LinkID, st record.LinkState, now time.Time) error {
	if err := exec(ctx, tx, `UPDATE conflict SET closed = ?2 WHERE link = ?1 AND closed IS NULL`, link, now.UnixMilli()); err != nil {
		return err
	}
	return exec(ctx, tx, `UPDATE link SET state = ?2 WHERE id = ?1`, link, st)
}

// Part ends a link, of which at least one record is gone or has become another, in a
// state in which it is only remembered: LinkParted, LinkGone or LinkBroken. done is
// what its tombstones say from now on; "" leaves that. AfterUnlinked takes away that of a record
// whose id names another one by now. What was asked about it is closed, but for LinkBroken.
func (s *Store) Part(ctx context.Context, l record.Lease, link record.LinkID, st record.LinkState, done record.Aftermath, now time.Time) error {
	return s.lease(ctx, l, "part link", func(ctx context.Context, tx *sql.Tx) error {
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
			return exec(ctx, tx, `UPDATE link SET state = ?2 WHERE id = ?1`, link, st)
		}
		if done == record.AfterUnlinked { // that it was gone once is nobody's question any more
			err := exec(ctx, tx, `DELETE FROM tombstone WHERE entry IN (SELECT num FROM entry WHERE link = ?1 AND state = ?2)`, link, record.Stranger)
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
	return s.lease(ctx, l, "note aftermath", func(ctx context.Context, tx *sql.Tx) error {
		if err := s.after(ctx, tx, l.Binding, link, done); err != nil {
			return err
		}
		if done == record.AfterIgnored {
			err := exec(ctx, tx, `UPDATE conflict SET closed = ?2 WHERE link = ?1 AND closed IS NULL AND choice = ''`, link, time.Now().UnixMilli())
			if err == nil {
				err = linkState(ctx, tx, link)
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
	return exec(ctx, tx, `UPDATE entry SET dirty = 1 WHERE link = ?1
		AND EXISTS (SELECT 1 FROM conflict WHERE link = ?1 AND closed IS NULL AND choice <> '')`, link)
}

func (s *Store) after(ctx context.Context, tx *sql.Tx, b record.Binding, link record.LinkID, done record.Aftermath) error {
	if err := checkLink(ctx, tx, b, link); err != nil {
		return err
	}
	if done != record.AfterNothing {
		// One that the link went on without was dealt with already.
		err := exec(ctx, tx, `UPDATE tombstone SET done = ?2 WHERE link = ?1 AND evidence <> 'ours'
			AND entry IN (SELECT num FROM entry WHERE link = ?1)`, link, done)
		if err != nil {
			return err
		}
	}
	return exec(ctx, tx, `UPDATE entry SET dirty = 0, listed = NULL WHERE link = ?1`, link)
}

// Estrange notes that the id of a record names another one than was linked.
func (s *Store) Estrange(ctx context.Context, l record.Lease, num int64, why string) error {
	return s.lease(ctx, l, "estrange record", func(ctx context.Context, tx *sql.Tx) error {
		return one(ctx, tx, unknown("entry %d of job %s", num, l.Binding),
			`UPDATE entry SET state = ?3, why = ?4, listed = NULL WHERE num = ?1 AND binding = ?2`, num, l.Binding, record.Stranger, why)
	})
}

// Free takes a link apart for good: the record of side is as if it had never had one,
// and the one across keeps its tombstone.
func (s *Store) Free(ctx context.Context, l record.Lease, link record.LinkID, side record.Side, now time.Time) error {
	return s.lease(ctx, l, "free record", func(ctx context.Context, tx *sql.Tx) error {
		pair, err := linkRows(ctx, tx, l.Binding, link)
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
				if err := r.free(ctx, tx, now); err != nil {
					return err
				}
			}
			r.unlink()
			if err := save(ctx, tx, r); err != nil {
				return err
			}
		}
		err = exec(ctx, tx, `UPDATE tombstone SET done = ?2 WHERE entry = ?1`, pair[side.Other()].Num, record.AfterUnlinked)
		if err != nil {
			return err
		}
		return endLink(ctx, tx, link, record.LinkGone, now)
	})
}

// free has an entry be as if it had never had a link: that it was gone once is nobody's question
// any more. What is known of a stranger is another record's: it is read by id before anything is
// made of it.
func (r *row) free(ctx context.Context, tx *sql.Tx, now time.Time) error {
	if r.State == record.Stranger {
		r.Base, r.Seen, r.Pre, r.earlier, r.Keys, r.Vouching, r.Witness = nil, nil, nil, nil, nil, nil, ""
		r.Recheck, r.Since = now, now
		if err := exec(ctx, tx, `DELETE FROM entry_key WHERE entry = ?1`, r.Num); err != nil {
			return err
		}
	}
	r.State, r.Why, r.Dirty = record.InStep, "", true
	return exec(ctx, tx, `DELETE FROM tombstone WHERE entry = ?1`, r.Num)
}

// unlink takes an entry out of its link: what it holds is an observation, and nothing
// was ever settled.
func (r *row) unlink() {
	last := r.Last()
	if r.Seen == nil && r.Base != nil {
		r.Seen = &record.Observation{At: r.Since, View: "base", Version: r.BaseVersion}
	}
	if r.Seen != nil {
		r.Seen.Fields = last
	}
	r.Link, r.Base, r.BaseVersion, r.Sent, r.paths, r.Pre = 0, nil, "", nil, nil, nil
	r.Revision = record.Revision{}
	r.unlist()
}

// Rewire gives a link another record in place of one that is gone: the one of number
// to, which must have no link and no open create. Nothing of either side counts as settled after that, so
// that what they hold is merged as at a first contact.
func (s *Store) Rewire(ctx context.Context, l record.Lease, link record.LinkID, side record.Side, to int64, now time.Time) error {
	return s.lease(ctx, l, "rewire link", func(ctx context.Context, tx *sql.Tx) error {
		pair, err := linkRows(ctx, tx, l.Binding, link)
		if err != nil {
			return err
		}
		fresh, err := rowNum(ctx, tx, l.Binding, to)
		if err != nil {
			return err
		}
		if fresh.Link != 0 {
			return fmt.Errorf("record %s: %w", fresh.Ref, ErrLinked)
		}
		switch busy, err := createsOf(ctx, tx, fmt.Sprintf("[%d]", to)); {
		case err != nil:
			return err
		case busy[to]:
			return fmt.Errorf("record %s: %w", fresh.Ref, ErrOpen)
		}
		old, other := pair[side], pair[side.Other()]
		old.unlink()
		old.Dirty = false
		if err := save(ctx, tx, old); err != nil {
			return err
		}
		if err := exec(ctx, tx, `UPDATE tombstone SET done = ?2 WHERE entry = ?1`, old.Num, record.AfterRewired); err != nil {
			return err
		}
		other.unlink()
		for _, r := range []*row{fresh, other} {
			r.Dirty = true
			if err := attach(ctx, tx, r, link, now); err != nil {
				return err
			}
		}
		if err := exec(ctx, tx, `UPDATE conflict SET closed = ?2 WHERE link = ?1 AND closed IS NULL`, link, now.UnixMilli()); err != nil {
			return err
		}
		return exec(ctx, tx, `UPDATE link SET state = '' WHERE id = ?1`, link)
	})
}

// Rejoin has a link that was only remembered go on: its records are what they were
// taken for, whatever is remembered of them.
func (s *Store) Rejoin(ctx context.Context, l record.Lease, link record.LinkID, now time.Time) error {
	return s.lease(ctx, l, "rejoin records", func(ctx context.Context, tx *sql.Tx) error {
		pair, err := linkRows(ctx, tx, l.Binding, link)
		if err != nil {
			return err
		}
		for _, r := range pair {
			r.Dirty = true
			r.unlist()
			if r.State == record.Stranger {
				r.State, r.Why, r.Witness = record.InStep, "", record.SaidWitness
				r.Recheck = now // what was shown of it meanwhile was not believed
			}
			if err := save(ctx, tx, r); err != nil {
				return err
			}
			if r.State != record.Gone {
				if err := exec(ctx, tx, `DELETE FROM tombstone WHERE entry = ?1`, r.Num); err != nil {
					return err
				}
			}
		}
		if err := exec(ctx, tx, `UPDATE conflict SET closed = ?2 WHERE link = ?1 AND closed IS NULL`, link, now.UnixMilli()); err != nil {
			return err
		}
		return exec(ctx, tx, `UPDATE link SET state = '' WHERE id = ?1`, link)
	})
}

// touchGone has what is known of records that are gone looked at again: those about
// which a person was asked, for the policy may be another now, and those of which
// nothing proves it.
func touchGone(ctx context.Context, tx *sql.Tx, b record.Binding) error {
	err := exec(ctx, tx, `UPDATE entry SET state = 'suspect', why = ?2, listed = NULL
		WHERE binding = ?1 AND side IN (0, 1) AND state <> '' AND state = 'gone' AND link IS NOT NULL
		AND NOT EXISTS (SELECT 1 FROM tombstone t WHERE t.entry = num)`, b, readAgain)
	if err != nil {
		return err
	}
	return exec(ctx, tx, `UPDATE entry SET dirty = 1 WHERE num IN (SELECT entry FROM tombstone WHERE done IN ('', 'held') AND link <> 0)
		AND binding = ?1 AND state = 'gone'`, b)
}
