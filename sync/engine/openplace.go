package engine

import (
	"context"
	"fmt"
	"slices"

	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// A new record may be what is gone from a link, entered anew. As long as it is open what becomes of that link,
// no rule joins the new one, nothing is made of it, and nobody is asked about it.

// heedGone holds strangers that a rule would join though one of the two may be what is gone from a link,
// entered anew, as long as it is open what becomes of that link. Keys without a reference are asked for by
// match. Example: a booking is entered anew, and meanwhile the desk enters a second room for the same guest
// and days: the new booking may be either.
func (r *run) heedGone(ctx context.Context, d *draft, strangers [2][]candidate, fates *[2][]fate) error {
	for i := range fates[record.Left] {
		with := fates[record.Left][i].with
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
			old, is, err := r.openInPlace(ctx, d, side, c.entered(), c.keys)
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

// readEarlierThan is readEarlier for a stranger of which only what matching needs is known.
func (r *run) readEarlierThan(ctx context.Context, d *draft, side record.Side, c candidate) (string, error) {
	if r.scanned[side] || d.facts.Links == 0 || !slices.ContainsFunc(c.keys, func(k record.Key) bool { return r.refers(k.Name) }) {
		return "", nil
	}
	s, ok, err := r.unlinked(ctx, side, c.ref)
	if err != nil || !ok {
		return "", err
	}
	return r.readEarlier(ctx, d, side, stranger{seenSide: s, brief: c.brief, keys: c.keys})
}

// holdAnew holds a pair of strangers of which the one of side may be what another record, which is left, was
// linked to; unread says why nobody knows that now.
func holdAnew(strangers [2][]candidate, fates *[2][]fate, at [2]int, side record.Side, left record.Ref, unread string) {
	refs := [2]record.Ref{strangers[0][at[0]].ref, strangers[1][at[1]].ref}
	for _, of := range record.Sides {
		why := fmt.Sprintf("it may be %s, and %s may be what %s was linked to, entered anew", refs[of.Other()], refs[side], left)
		fates[of][at[of]] = fate{with: -1, held: why, about: []record.Ref{left, refs[of.Other()]}, unread: unread}
	}
}

// openInPlace is the link in whose place a stranger of a side may be: its record of that side is gone, or may
// be, what becomes of it is open, and the stranger has a key of the link, or a person was told that it may be
// that record. It reports whether there is one.
func (r *run) openInPlace(ctx context.Context, d *draft, side record.Side, as entered, keys []record.Key) (record.Pair, bool, error) {
	if r.side(side.Other()).Gone.Policy == plan.GoneIgnore || r.side(side).Can.Immutable {
		return record.Pair{}, false, nil
	}
	b, err := r.bereftOf(ctx, d, side)
	if err != nil {
		return record.Pair{}, false, err
	}
	var may []record.Pair
	if p, is := b.told[as]; is {
		may = append(may, p)
	}
	for _, k := range keys {
		may = append(may, b.was[k]...)
	}
	for _, p := range may {
		if why, err := r.goneFirst(ctx, []record.LinkID{p.Link}); err != nil || why != "" {
			return p, err == nil, err
		}
	}
	return record.Pair{}, false, nil
}

// waitsForLink is the open link that a stranger of a side waits for before a person is asked about it: it may
// be a record of either side of that link. What becomes of the link comes first.
func (r *run) waitsForLink(ctx context.Context, d *draft, side record.Side, s stranger) ([]record.LinkID, error) {
	for _, gone := range record.Sides {
		as := entered{} // of the other side no one is told
		if gone == side {
			as = s.brief.entered()
		}
		if p, is, err := r.openInPlace(ctx, d, gone, as, s.keys); err != nil || is {
			return []record.LinkID{p.Link}, err
		}
	}
	return nil, nil
}
