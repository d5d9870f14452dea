package state

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"nightporter/sync/record"
)

// SettleIntent stores a receipt: the target's base becomes what the answer showed
// (what was sent, where it showed nothing), both sides' bases take over what the
// change was computed from, and a create's new link is made and wakes its waiters.
// What the answer shows of other fields is an observation. ErrLinked says that the
// record a create ended at belongs to another link: nothing was changed then.
func (s *Store) SettleIntent(ctx context.Context, l record.Lease, r record.Receipt) (record.LinkID, error) {
	var link record.LinkID
	err := s.keep(ctx, l, "settle change "+r.Intent, func(ctx context.Context, tx *sql.Tx) error {
		i, err := intentOf(ctx, tx, l.Binding, r.Intent)
		if err != nil {
			return err
		}
		if !open(i.State) {
			return fmt.Errorf("it is %s: %w", i.State, ErrNotOpen)
		}
		target, other, err := settleRows(ctx, tx, i, r)
		if err != nil {
			return err
		}
		first, err := beforeUnanswered(ctx, tx, i)
		if err != nil {
			return err
		}
		if target.settle(i, r, first); target.Mapping == "" {
			if target.Mapping, err = lastMapping(ctx, tx, target.Place); err != nil {
				return err
			}
		}
		if other != nil && i.Change.Op == record.Create {
			target.witnessAnswer(r, other.Keys)
		}
		if other != nil {
			across := i.Bases[i.Place.Side.Other()]
			if i.Link == 0 { // what is shown of it is an observation then, and stays one
				across = across.With(r.Across)
			}
			other.take(across)
			other.unlist()
		}
		if link, err = saveSettled(ctx, tx, i, r, target, other); err != nil {
			return err
		}
		if other != nil && i.Change.Op == record.Create {
			if err := dropMeant(ctx, tx, other.Num); err != nil {
				return err
			}
		}
		return endIntent(ctx, tx, i, r, link)
	})
	return link, err
}

// settleRows finds the record written and the one across. For a create the first
// may be unknown yet; a record that has no link has none across.
func settleRows(ctx context.Context, tx *sql.Tx, i record.Intent, r record.Receipt) (target, other *row, err error) {
	if i.Link != 0 {
		pair, err := linkRows(ctx, tx, i.Place.Binding, i.Link)
		if err == nil && i.Change.Op == record.Create {
			err = renew(ctx, tx, i, r, &pair)
		}
		return pair[i.Place.Side], pair[i.Place.Side.Other()], err
	}
	if other, err = rowNum(ctx, tx, i.Place.Binding, i.From); err != nil {
		return nil, nil, err
	}
	if other.Link != 0 {
		return nil, nil, fmt.Errorf("record %s: %w", other.Ref, ErrLinked)
	}
	if i.Change.Op != record.Create {
		return other, nil, nil
	}
	if !usable(r.Ref.ID) {
		return nil, nil, fmt.Errorf("the receipt of a create names no record: %w", ErrUnknown)
	}
	target, err = madeRow(ctx, tx, i, r)
	return target, other, err
}

// settle changes the entry of the record that was written. first is what stood there
// before changes of which no answer came.
func (r *row) settle(i record.Intent, a record.Receipt, first record.Fields) {
	written, held, was := i.Change.Fields, r.stood(i.Change.Before, first), *r
	seen := record.Fields(nil)
	untaken := without(r.stillUntaken(a.Fields), written)
	if r.Seen != nil {
		seen = r.Seen.Fields.Clone()
	}
	r.take(i.Bases[i.Place.Side])
	base, rest := record.Fields{}, record.Fields{} // rest is what the answer shows besides
	var unshown []string                           // no read has shown them since: see answeredPath
	for _, path := range written.Names() {
		base[path] = written[path]
		switch shown := a.Fields[path]; {
		case leftAsItWas(i, a, path), foundOtherwise(i, a, path):
			rest[path], untaken[path] = shown, shown
		case !shown.Observed():
			unshown = append(unshown, path)
		default:
			base[path] = shown
			unshown = append(unshown, toBeShown(i, a, path)...)
		}
		if i.Change.Op == record.Create && seen[path].Observed() && !alike(seen[path], base[path]) {
			r.ask(a.At) // sent again, it may be answered as it was the first time: before somebody edited it
		}
		delete(seen, path)
	}
	for _, sent := range r.paths { // of an earlier write
		path, answered := pathOf(sent)
		if _, again := written[path]; again {
			continue
		}
		switch shown := a.Fields[path]; {
		case !shown.Observed():
			unshown = append(unshown, sent)
		case answered && r.holds(path, shown):
		case r.replacedAt(path, shown) && !r.holds(path, shown):
			rest[path], untaken[path] = shown, shown
		case answered:
			rest[path] = shown
		default:
			base[path] = shown
		}
	}
	for path, shown := range a.Fields {
		if _, known := base[path]; !known && shown.Observed() {
			rest[path] = shown
		}
	}
	if i.Change.Op == record.Create {
		if editedSince(a) {
			for path, sent := range written {
				if !alike(sent, base[path]) {
					rest[path] = base[path]
					delete(base, path)
				}
			}
		}
		for _, path := range a.Apart {
			if shown := a.Fields[path]; shown.Observed() {
				rest[path] = shown
				delete(base, path)
			}
		}
		rest = r.founded(base, rest, a.Adopted)
	}
	r.take(base)
	r.observeAnswer(seen.With(rest), a, untaken)
	r.paths = unshown
	r.replaced(a.At, held...)
	r.Acked, r.SettleUntil, r.BaseVersion = ceil(a.At), ceil(a.SettleUntil), a.Version
	if a.ReadAgain && len(unshown) > 0 {
		r.ask(r.SettleUntil.Add(time.Millisecond))
	}
	r.vouchAnswer(a, was.Entry)
	r.reviseAnswered(i, a, was)
	r.Sent = sentOnly(unshown)
	r.unlist()
}

// editedSince reports whether a record that was found later tells by its own times that
// somebody changed it since it was made. What it holds otherwise than it was sent may be
// theirs, and meets the other side for the first time. Where the times don't tell, it is
// what its system made of what was sent.
func editedSince(a record.Receipt) bool {
	return a.Adopted && !a.Created.IsZero() && a.Changed.Sub(a.Created) > record.OneWrite
}

// founded puts into the base of a new record what its system gave it of its own
// accord, and gives what is left of it. In the answer to our request that is all there
// is. Of a record that was found later somebody may have filled in what we had left
// empty: that is no part of the base, and meets the other side for the first time.
func (r *row) founded(base, rest record.Fields, found bool) (left record.Fields) {
	left = record.Fields{}
	for path, shown := range rest {
		if found && !shown.Empty() {
			left[path] = shown
		} else {
			base[path] = shown
		}
	}
	return left
}

// observeAnswer keeps what is known of fields that were not written, if it differs
// from the base.
func (r *row) observeAnswer(seen record.Fields, a record.Receipt, untaken record.Fields) {
	if len(seen) == 0 || r.agrees(seen) {
		r.Seen = nil
		return
	}
	o := record.Observation{}
	if r.Seen != nil {
		o = *r.Seen
	}
	o.Fields, o.Version, o.At, o.View, o.Untaken = seen, a.Version, a.At, "receipt", untaken
	if !a.Changed.IsZero() {
		o.Changed = a.Changed
	}
	r.Seen = &o
}

// lastMapping is the fingerprint that the place was last read by: a record that a
// receipt made known was read by the same.
func lastMapping(ctx context.Context, tx *sql.Tx, p record.Place) (string, error) {
	var m string
	err := tx.QueryRowContext(ctx, `SELECT mapping FROM scan WHERE binding = ?1 AND side = ?2 ORDER BY id DESC LIMIT 1`,
		p.Binding, p.Side).Scan(&m)
	if isNone(err) {
		return "", nil
	}
	return m, err
}

func saveSettled(ctx context.Context, tx *sql.Tx, i record.Intent, r record.Receipt, target, other *row) (record.LinkID, error) {
	if i.Change.Op == record.Delete {
		if err := bury(ctx, tx, i, r, target, other); err != nil {
			return 0, err
		}
	}
	if i.Link != 0 {
		if err := save(ctx, tx, target); err != nil {
			return 0, err
		}
		return i.Link, save(ctx, tx, other)
	}
	if other == nil {
		return 0, save(ctx, tx, target)
	}
	link, err := insertLink(ctx, tx, i.Place.Binding, i.Entity, r.At)
	if err != nil {
		return 0, err
	}
	for _, e := range []*row{target, other} {
		e.doubt()
		if err := attach(ctx, tx, e, link, r.At); err != nil {
			return 0, err
		}
	}
	return link, nil
}

func endIntent(ctx context.Context, tx *sql.Tx, i record.Intent, r record.Receipt, link record.LinkID) error {
	text, err := encode(receipt{
		Ref: r.Ref, Version: r.Version, Fields: r.Fields, Provisional: r.Provisional, Changed: momentOf(r.Changed), Created: momentOf(r.Created),
		At: momentOf(r.At), SettleUntil: momentOf(r.SettleUntil), Adopted: r.Adopted, Note: r.Note,
	})
	if err != nil {
		return err
	}
	ref := i.Change.Ref
	if ref.ID == "" {
		ref = r.Ref
	}
	err = exec(ctx, tx, `UPDATE intent SET state = ?2, link = ?3, kind = ?4, ref = ?5, receipt = ?6, ended_at = ?7,
		error = '', class = '' WHERE id = ?1`, i.ID, record.Settled, orNull(int64(link)), ref.Kind, ref.ID, text, r.At.UnixMilli())
	if err != nil {
		return err
	}
	if err := dropClaim(ctx, tx, i); err != nil {
		return err
	}
	return linkState(ctx, tx, link)
}
