package links

import (
	"context"
	"database/sql"
	"fmt"

	"nightporter/state/internal/entries"
	"nightporter/state/internal/journal"
	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// beforeUnanswered returns what stood in the record of a change before earlier changes were sent to it that were
// never answered, by the paths that these wrote. Only those count that were made since the last settled change.
func beforeUnanswered(ctx context.Context, tx *sql.Tx, i record.Intent) (record.Fields, error) {
	first := record.Fields{}
	if i.Link == 0 { // there was no change before this one
		return first, nil
	}
	sent, err := sqlite.Collect(ctx, tx, journal.ScanIntent, `SELECT `+journal.Columns+` FROM intent i
		WHERE i.link = ?1 AND i.side = ?2 AND i.state = `+sqlite.IntentCancelled+` AND i.class = '' AND i.sent_at IS NOT NULL AND i.made >
		coalesce((SELECT max(a.made) FROM intent a WHERE a.link = ?1 AND a.side = ?2 AND a.state = `+sqlite.IntentSettled+`), 0)
		ORDER BY i.made DESC, i.id DESC`, i.Link, i.Place.Side)
	for _, in := range sent {
		for path := range in.Change.Fields {
			first = first.With(record.Fields{path: in.Change.Before[path]})
		}
	}
	return first, err
}

// SettleIntent stores a receipt. The base of the written record becomes what the answer showed, or what was sent
// where it showed nothing. The bases of both sides take over what the change was computed from. Other fields that
// the answer shows become an observation. A create gets its link, and what waits for its records is woken.
// A receipt that is Retold is durable with the next commit that is, any other when SettleIntent returns.
// ErrLinked says that the create ended at a record of another link: nothing was changed then.
func (s *Store) SettleIntent(ctx context.Context, l record.Lease, r record.Receipt) (record.LinkID, error) {
	if r.Retold {
		ctx = sqlite.Soon(ctx)
	}
	var link record.LinkID
	err := s.db.LeaseReserved(ctx, l, "settle change "+r.Intent, func(ctx context.Context, tx *sql.Tx) error {
		i, err := journal.Get(ctx, tx, l.Binding, r.Intent)
		if err != nil {
			return err
		}
		if !journal.IsOpen(i.State) {
			return fmt.Errorf("it is %s: %w", i.State, sqlite.ErrNotOpen)
		}
		target, other, err := settleRows(ctx, tx, i, r)
		if err != nil {
			return err
		}
		first, err := beforeUnanswered(ctx, tx, i)
		if err != nil {
			return err
		}
		if target.Settle(i, r, first); target.Mapping == "" {
			if target.Mapping, err = lastMapping(ctx, tx, target.Place); err != nil {
				return err
			}
		}
		if other != nil && i.Change.Op == record.Create {
			target.WitnessAnswer(r, other.Keys)
		}
		if other != nil {
			across := i.Bases[i.Place.Side.Other()]
			if i.Link == 0 { // its values are an observation, and stay one where the base gets others
				across = across.With(r.Across)
			}
			other.Take(across)
			other.Unlist()
		}
		if link, err = saveSettled(ctx, tx, i, r, target, other); err != nil {
			return err
		}
		if other != nil && i.Change.Op == record.Create {
			if err := dropMeant(ctx, tx, other.Num); err != nil {
				return err
			}
		}
		return journal.End(ctx, tx, i, r, link)
	})
	return link, err
}

// settleRows returns the entries of the written record (target) and of the record across (other). For a create,
// target may be a new entry. other is nil if the written record has no link.
func settleRows(ctx context.Context, tx *sql.Tx, i record.Intent, r record.Receipt) (target, other *entries.Row, err error) {
	if i.Link != 0 {
		pair, err := entries.OfLink(ctx, tx, i.Place.Binding, i.Link)
		if err == nil && i.Change.Op == record.Create {
			err = renew(ctx, tx, i, r, &pair)
		}
		return pair[i.Place.Side], pair[i.Place.Side.Other()], err
	}
	if other, err = entries.ByNum(ctx, tx, i.Place.Binding, i.From); err != nil {
		return nil, nil, err
	}
	if other.Link != 0 {
		return nil, nil, fmt.Errorf("record %s: %w", other.Ref, sqlite.ErrLinked)
	}
	if i.Change.Op != record.Create {
		return other, nil, nil
	}
	if !sqlite.Usable(r.Ref.ID) {
		return nil, nil, fmt.Errorf("the receipt of a create names no record: %w", sqlite.ErrUnknown)
	}
	target, err = madeRow(ctx, tx, i, r)
	return target, other, err
}

// lastMapping returns the fingerprint of the mapping by which a place was last read; "" if it never was. A record
// that a receipt made known counts as read by the same mapping.
func lastMapping(ctx context.Context, tx *sql.Tx, p record.Place) (string, error) {
	var m string
	err := tx.QueryRowContext(ctx, `SELECT mapping FROM scan WHERE binding = ?1 AND side = ?2 ORDER BY id DESC LIMIT 1`,
		p.Binding, p.Side).Scan(&m)
	if sqlite.IsNone(err) {
		return "", nil
	}
	return m, err
}

func saveSettled(ctx context.Context, tx *sql.Tx, i record.Intent, r record.Receipt, target, other *entries.Row) (record.LinkID, error) {
	if i.Change.Op == record.Delete {
		if err := bury(ctx, tx, i, r, target, other); err != nil {
			return 0, err
		}
	}
	if i.Link != 0 {
		if err := entries.Save(ctx, tx, target); err != nil {
			return 0, err
		}
		return i.Link, entries.Save(ctx, tx, other)
	}
	if other == nil {
		return 0, entries.Save(ctx, tx, target)
	}
	link, err := insertLink(ctx, tx, i.Place.Binding, i.Entity, r.At)
	if err != nil {
		return 0, err
	}
	for _, e := range []*entries.Row{target, other} {
		e.Doubt()
		if err := attach(ctx, tx, e, link, r.At); err != nil {
			return 0, err
		}
	}
	return link, nil
}

// renew puts the record that a create on a link has made in the place of the deleted one. The link is live again,
// or parted if the record across is gone as well. The base of the record across stays.
func renew(ctx context.Context, tx *sql.Tx, i record.Intent, r record.Receipt, pair *[2]*entries.Row) error {
	side := i.Place.Side
	old := pair[side]
	if !sqlite.Usable(r.Ref.ID) {
		return fmt.Errorf("the receipt of a create names no new record: %w", sqlite.ErrUnknown)
	}
	fresh, err := madeRow(ctx, tx, i, r)
	if err != nil {
		return err
	}
	if old, err = entries.ByNum(ctx, tx, i.Place.Binding, old.Num); err != nil { // its id may have gone to the new record
		return err
	}
	old.Link, old.Dirty = 0, false
	old.Unlist()
	if err := entries.Save(ctx, tx, old); err != nil {
		return err
	}
	fresh.Link = i.Link
	fresh.SettleState()
	pair[side] = fresh
	other, st := pair[side.Other()], record.LinkLive
	if other.State == record.Gone {
		st = record.LinkParted
	}
	if err := noteAftermath(ctx, tx, other.Num, record.AfterUnlinked); err != nil {
		return err
	}
	if err := noteAftermath(ctx, tx, old.Num, record.AfterRewired); err != nil {
		return err
	}
	if err := rouse(ctx, tx, i.Entity); err != nil {
		return err
	}
	return setLinkState(ctx, tx, i.Link, st)
}
