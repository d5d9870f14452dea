package decide

import (
	"context"
	"fmt"
	"slices"

	"nightporter/sync/match"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// A new record may be the missing record of a link, entered anew. Until it is decided what becomes of that link, no
// rule joins the new record, nothing is made of it, and nobody is asked about it.

// heedGone holds two records that a rule would join, if one of them may be the missing record of a link, entered
// anew, and it is not decided yet what becomes of that link. Keys without a reference are asked for by match.
// Example: a booking is entered anew, and meanwhile the desk enters a second room for the same guest and days: the
// new booking may be either.
func (r *Room) heedGone(ctx context.Context, d *run.Draft, strangers [2][]run.Candidate, fates *[2][]match.Fate) error {
	for i := range fates[record.Left] {
		with := fates[record.Left][i].With
		if with < 0 {
			continue
		}
		at := [2]int{i, with}
		for _, side := range record.Sides {
			c := strangers[side][at[side]]
			unread, err := r.readEarlierThan(ctx, d, side, c)
			if err != nil {
				return err
			}
			old, is, err := r.openInPlace(ctx, d, side, c.Entered(), c.Keys)
			if err != nil {
				return err
			}
			if is || unread != "" {
				holdAnew(strangers, fates, at, side, old.Sides[side.Other()].Ref, unread)
				break
			}
		}
	}
	return nil
}

// readEarlierThan is proof.ReadEarlier for a record of which only what matching needs is loaded.
func (r *Room) readEarlierThan(ctx context.Context, d *run.Draft, side record.Side, c run.Candidate) (string, error) {
	if r.trust.Scanned[side] || d.Facts.Links == 0 || !slices.ContainsFunc(c.Keys, func(k record.Key) bool { return r.Refers(k.Name) }) {
		return "", nil
	}
	s, ok, err := r.match.Unlinked(ctx, side, c.Ref)
	if err != nil || !ok {
		return "", err
	}
	return r.proof.ReadEarlier(ctx, d, side, run.Stranger{SeenSide: s, Brief: c.Brief, Keys: c.Keys})
}

// holdAnew holds a pair of records. The record of side may be the missing one of a link, and left is the record
// across that remained of that link. unread says why that can't be told now.
func holdAnew(strangers [2][]run.Candidate, fates *[2][]match.Fate, at [2]int, side record.Side, left record.Ref, unread string) {
	refs := [2]record.Ref{strangers[0][at[0]].Ref, strangers[1][at[1]].Ref}
	for _, of := range record.Sides {
		why := fmt.Sprintf("it may be %s, and %s may be what %s was linked to, entered anew", refs[of.Other()], refs[side], left)
		fates[of][at[of]] = match.Fate{With: -1, Aside: &match.Aside{Held: why, About: []record.Ref{left, refs[of.Other()]}, Unread: unread}}
	}
}

// openInPlace returns the open link that a new record of a side may belong to, and whether there is one. In such a
// link the record of that side is gone, or may be, and it is not decided yet what becomes of it. The new record has
// a key of the link, or a person was told that it may be the missing record.
func (r *Room) openInPlace(ctx context.Context, d *run.Draft, side record.Side, as record.Entered, keys []record.Key) (record.Pair, bool, error) {
	if r.Side(side.Other()).Gone.Policy == away.GoneIgnore || r.Side(side).Can.Immutable {
		return record.Pair{}, false, nil
	}
	b, err := r.gone.BereftOf(ctx, d, side)
	if err != nil {
		return record.Pair{}, false, err
	}
	var may []record.Pair
	if p, is := b.Told[as]; is {
		may = append(may, p)
	}
	for _, k := range keys {
		may = append(may, b.Was[k]...)
	}
	for _, p := range may {
		if why, err := r.gone.GoneFirst(ctx, []record.LinkID{p.Link}); err != nil || why != "" {
			return p, err == nil, err
		}
	}
	return record.Pair{}, false, nil
}

// waitsForLink returns the open link that a record without a link waits for, before a person is asked about the
// record: it may be a record of either side of that link. What becomes of the link is decided first.
func (r *Room) waitsForLink(ctx context.Context, d *run.Draft, side record.Side, s run.Stranger) ([]record.LinkID, error) {
	for _, gone := range record.Sides {
		as := record.Entered{} // a person is told of records of the missing one's side only
		if gone == side {
			as = s.Brief.Entered()
		}
		if p, is, err := r.openInPlace(ctx, d, gone, as, s.Keys); err != nil || is {
			return []record.LinkID{p.Link}, err
		}
	}
	return nil, nil
}
