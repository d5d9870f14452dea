package match

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"nightporter/sync/record"
	"nightporter/sync/run"
)

// BereftOf is bereft, asked once a plan.
func (r *Room) BereftOf(ctx context.Context, d *run.Draft, side record.Side) (*run.Bereft, error) {
	if d.Bereft[side] == nil {
		var err error
		if d.Bereft[side], err = r.bereft(ctx, side); err != nil {
			return nil, err
		}
	}
	return d.Bereft[side], nil
}

// bereft reads a record across of which only digests are kept: its keys are in its values.
func (r *Room) bereft(ctx context.Context, side record.Side) (*run.Bereft, error) {
	pairs, err := r.Store.Bereft(ctx, r.Place(side))
	if err != nil {
		return nil, err
	}
	out := &run.Bereft{By: map[record.Key]record.Pair{}, Was: map[record.Key][]record.Pair{}, Told: map[record.Ref]record.Pair{}}
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

// addOpen adds what may be in the place of a link that is not ended.
func (r *Room) addOpen(ctx context.Context, b *run.Bereft, p record.Pair, side record.Side) error {
	if p.State.Ended() {
		return nil
	}
	keys, err := r.keysOfLink(ctx, p, side)
	if err != nil {
		return err
	}
	for _, k := range keys {
		b.Was[k] = append(b.Was[k], p)
	}
	asked, err := r.Store.Choices(ctx, p.Link)
	if err != nil {
		return fmt.Errorf("look what persons are asked: %w", err)
	}
	if !r.tellsByKey() {
		for _, ref := range asked[run.RecordField].Rests.Anew {
			b.Told[ref] = p
		}
	}
	return nil
}

// tellsByKey reports whether a key of its own makes a record another one, as a phone does of a contact: that
// is how a user tells two apart. A booking that is moved is what it was.
func (r *Room) tellsByKey() bool {
	return r.Job.Booking == nil && !slices.ContainsFunc(r.RuleNames(), r.Refers)
}
