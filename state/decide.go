package state

import (
	"context"
	"database/sql"
	"maps"
	"time"

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

// attach makes an entry part of a link, and wakes what waits for its record. What the
// entry itself waits for stays: a stay that was published without its guest is to be
// looked at again once the guest is known.
func attach(ctx context.Context, tx *sql.Tx, r *row, link record.LinkID, now time.Time) error {
	r.Link = link
	r.settleState()
	if err := save(ctx, tx, r); err != nil {
		return err
	}
	err := exec(ctx, tx, `UPDATE conflict SET closed = ?2 WHERE entry = ?1 AND link = 0 AND closed IS NULL`, r.Num, now.UnixMilli())
	if err != nil {
		return err
	}
	return wake(ctx, tx, r.Place, r.Ref)
}

// settleState puts an entry in step, but never forgets that its record is absent,
// or may be, or could not be read: only a read may say otherwise.
func (r *row) settleState() {
	if !absent(r.State) && r.State != record.Stranger && (!r.parked || r.State != record.Quarantined) {
		r.State, r.Why = record.InStep, ""
	}
}

// readAgain is why a record that was gone is only doubted from now on.
const readAgain = "to be read once more"

// doubt has a record read again that is gone when it gets its link: what becomes of the
// one across asks for more proof than it takes of one that nothing was linked with.
func (r *row) doubt() {
	if r.State == record.Gone {
		r.State, r.Why = record.Suspect, readAgain
	}
}

// take makes values part of the base and drops an observation that then says
// nothing new. nil takes nothing.
func (r *row) take(values record.Fields) {
	if values != nil {
		r.reviseTaken(values)
		base := maps.Clone(r.Base)
		if base == nil {
			base = make(record.Base, len(values))
		}
		for path, v := range values {
			if v.Observed() {
				base[path] = r.seal.keep(path, v)
			}
		}
		r.Base = base
		if r.Seen != nil {
			seen := *r.Seen
			seen.Untaken = without(seen.Untaken, values)
			r.Seen, r.BaseVersion = &seen, r.Seen.Version
		}
	}
	r.dropSeen()
}

func (r *row) dropSeen() {
	if r.Seen != nil && r.Base != nil && r.agrees(r.Seen.Fields) {
		r.BaseVersion = r.Seen.Version
		r.Seen = nil
		if r.Witness == record.SaidWitness {
			r.Witness = ""
		}
	}
}

// Adopt settles a link without a write: each side's base takes the values given for
// it (nil: none), and what was to be looked at has been.
func (s *Store) Adopt(ctx context.Context, l record.Lease, link record.LinkID, bases [2]record.Fields, now time.Time) error {
	return s.lease(ctx, l, "adopt", func(ctx context.Context, tx *sql.Tx) error {
		pair, err := linkRows(ctx, tx, l.Binding, link)
		if err != nil {
			return err
		}
		for side, r := range pair {
			r.take(bases[side])
			r.Dirty = false
			r.settleState()
			r.unlist()
			if err := save(ctx, tx, r); err != nil {
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

// Park puts an entry aside in a state, with a sentence why, until it changes. What is asked about
// one that is left out by rule is closed.
func (s *Store) Park(ctx context.Context, l record.Lease, num int64, st record.EntryState, why string) error {
	return s.lease(ctx, l, "park record", func(ctx context.Context, tx *sql.Tx) error {
		if err := dropWaits(ctx, tx, num); err != nil {
			return err
		}
		if st == record.LeftOut {
			err := exec(ctx, tx, `UPDATE conflict SET closed = ?2 WHERE entry = ?1 AND entry <> 0 AND link = 0 AND closed IS NULL`, num, time.Now().UnixMilli())
			if err != nil {
				return err
			}
		}
		return one(ctx, tx, unknown("entry %d of job %s", num, l.Binding),
			`UPDATE entry SET state = ?3, why = ?4, dirty = 0, listed = NULL WHERE num = ?1 AND binding = ?2`,
			num, l.Binding, st, why)
	})
}

// Judge says after a read by id what became of a record: Gone, OutOfScope, or
// InStep after all. recheck is when to look again, zero for not of itself. What is asked about one
// without a link is closed, unless it is InStep.
func (s *Store) Judge(ctx context.Context, l record.Lease, num int64, st record.EntryState, why string, recheck, now time.Time) error {
	return s.lease(ctx, l, "judge record", func(ctx context.Context, tx *sql.Tx) error {
		r, err := rowNum(ctx, tx, l.Binding, num)
		if err != nil {
			return err
		}
		if st == record.InStep && absent(r.State) && r.Link == 0 {
			r.Dirty = true
		}
		r.State, r.Why, r.Recheck = st, why, recheck
		r.unlist()
		if st == record.Gone {
			if err := r.unpark(ctx, tx); err != nil {
				return err
			}
		}
		if st == record.Gone || st == record.OutOfScope {
			if err := unask(ctx, tx, r, now); err != nil {
				return err
			}
		}
		return save(ctx, tx, r)
	})
}

// unask closes what is asked about a record that has no link: it is gone, or outside of what is
// read, and nothing is made of it whatever a person says.
func unask(ctx context.Context, tx *sql.Tx, r *row, now time.Time) error {
	if r.Link != 0 {
		return nil
	}
	return exec(ctx, tx, `UPDATE conflict SET closed = ?2 WHERE entry = ?1 AND entry <> 0 AND link = 0 AND closed IS NULL`, r.Num, now.UnixMilli())
}

// Touch marks entries as to be looked at by the next plan.
func (s *Store) Touch(ctx context.Context, l record.Lease, nums []int64) error {
	return s.lease(ctx, l, "touch records", func(ctx context.Context, tx *sql.Tx) error {
		for _, num := range nums {
			err := exec(ctx, tx, `UPDATE entry SET dirty = 1, listed = NULL WHERE num = ?1 AND binding = ?2`, num, l.Binding)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Configured notes what the binding's records are decided by. Where that is not what
// they were decided by so far, they are marked as TouchAll does.
func (s *Store) Configured(ctx context.Context, l record.Lease, settings string, now time.Time) error {
	var was string
	err := s.reader.QueryRowContext(ctx, `SELECT value FROM setting WHERE binding = ?1 AND name = 'settings'`, l.Binding).Scan(&was)
	if err != nil && !isNone(err) {
		return s.explain("read settings", err)
	}
	if was == settings {
		return nil
	}
	if err := s.TouchAll(ctx, l); err != nil {
		return err
	}
	return s.lease(ctx, l, "note settings", func(ctx context.Context, tx *sql.Tx) error {
		if err := forgiveAll(ctx, tx, l.Binding, now); err != nil {
			return err
		}
		return exec(ctx, tx, `INSERT INTO setting (binding, name, value) VALUES (?1, 'settings', ?2)
			ON CONFLICT (binding, name) DO UPDATE SET value = excluded.value`, l.Binding, settings)
	})
}

// TouchAll marks everything that an earlier config decided on: what is not linked,
// and what is not in step. A record that is absent comes back when it is shown; one
// that is gone is looked at again if a person was asked about it, and read again if
// nothing is remembered of what proved it.
func (s *Store) TouchAll(ctx context.Context, l record.Lease) error {
	return s.lease(ctx, l, "touch all records", func(ctx context.Context, tx *sql.Tx) error {
		if err := touchGone(ctx, tx, l.Binding); err != nil {
			return err
		}
		return exec(ctx, tx, `UPDATE entry SET dirty = 1, listed = NULL WHERE binding = ?1
			AND (state <> '' OR link IS NULL) AND state NOT IN ('missed', 'suspect', 'gone', 'out_of_scope', 'stranger')`, l.Binding)
	})
}
