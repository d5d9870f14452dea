package gone

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"nightporter/sync/plan/away"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// BereftOf returns the links that have lost their record of a side: it is gone, or another record has its id. They
// are read once a plan.
func (r *Room) BereftOf(ctx context.Context, d *run.Draft, side record.Side) (*run.Bereft, error) {
	if d.Bereft[side] == nil {
		var err error
		if d.Bereft[side], err = r.bereft(ctx, side); err != nil {
			return nil, err
		}
	}
	return d.Bereft[side], nil
}

// bereft gathers the links for BereftOf by the keys of the records that are left. Where only digests of a record
// are kept, it is read by id: without values there are no keys.
func (r *Room) bereft(ctx context.Context, side record.Side) (*run.Bereft, error) {
	pairs, err := r.withoutTheirs(ctx, side)
	if err != nil {
		return nil, err
	}
	out := &run.Bereft{By: map[record.Key]record.Pair{}, Was: map[record.Key][]record.Pair{}, Told: map[record.Entered]record.Pair{}}
	across := side.Other()
	for _, p := range pairs {
		p, err := r.observe.RevealSides(ctx, p, []record.Side{across})
		if err != nil && !errors.Is(err, run.ErrUnread) {
			return nil, err
		}
		if err != nil || r.observe.Hides(across, p.Sides[across]) {
			out.Hidden = &p
			continue
		}
		if err := r.addOpen(ctx, out, p, side); err != nil {
			return nil, err
		}
		s, err := r.refer.SideOf(ctx, across, p.Sides[across])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Sides[across].Ref, err)
		}
		for _, k := range r.Job.Mapping.Keys(across, s.Native, run.ResolvedOnly(s.Now)) {
			if r.Refers(k.Name) {
				out.By[k] = p
			}
		}
	}
	return out, nil
}

// withoutTheirs returns the links that have lost their record of a side: the record is gone, or another one has
// its id. The state knows most of them. This plan may have found more, which are not stored yet.
func (r *Room) withoutTheirs(ctx context.Context, side record.Side) ([]record.Pair, error) {
	pairs, err := r.store.Bereft(ctx, r.Place(side))
	if err != nil {
		return nil, err
	}
	strange, err := r.store.Strange(ctx, r.Place(side))
	if err != nil {
		return nil, err
	}
	for _, a := range r.Absences {
		if a.Fate.Deed == away.Ask || a.Fate.Deed == away.Break {
			strange = append(strange, a.Pair)
		}
	}
	slices.SortFunc(strange, func(a, b record.Pair) int { return cmp.Compare(a.Link, b.Link) }) // a map has no order
	known := map[record.LinkID]bool{}
	for _, p := range pairs {
		known[p.Link] = true
	}
	for _, p := range strange {
		e := p.Sides[side]
		if !known[p.Link] && p.Sides[side.Other()].State != record.Gone && (run.Aside(e.State) || r.observe.IsAnother(r.Job, side, e)) {
			known[p.Link], pairs = true, append(pairs, p)
		}
	}
	return pairs, nil
}

// addOpen adds the keys and records by which a new record may be known as the lost one of a link, if the link has
// not ended or a person is asked about it.
func (r *Room) addOpen(ctx context.Context, b *run.Bereft, p record.Pair, side record.Side) error {
	asked, err := r.store.Choices(ctx, p.Link)
	if err != nil {
		return fmt.Errorf("look what persons are asked: %w", err)
	}
	if p.State.Ended() && !r.isAsked(p, asked) {
		return nil
	}
	keys, err := r.match.KeysOfLink(ctx, p, side)
	if err != nil {
		return err
	}
	for _, k := range keys {
		b.Was[k] = append(b.Was[k], p)
	}
	told, err := r.match.ToldStill(ctx, p, asked, side)
	for _, e := range told {
		b.Told[e] = p
	}
	return err
}
