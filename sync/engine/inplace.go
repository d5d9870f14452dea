package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// inPlaceOf says that what a record would be made as is there already, linked to one of its
// own side that is gone, or may be: a booking that was removed and entered anew. What
// becomes of the one that is gone comes first; made before that, both would stand there.
// Keys without a reference are asked for by match. links is that of the one that is gone.
func (r *run) inPlaceOf(ctx context.Context, d *draft, side record.Side, s stranger) (why string, links []record.LinkID, err error) {
	keys := slices.DeleteFunc(slices.Clone(s.keys), func(k record.Key) bool { return !r.refers(k.Name) })
	named := len(keys) > 0 && r.side(side.Other()).Gone.Policy != plan.GoneIgnore
	p, is, err := r.openInPlace(ctx, d, side, s.brief.entered(), s.keys)
	if err == nil && !is && named {
		if why, err := r.readEarlier(ctx, d, side, s); err != nil || why != "" {
			return why, nil, err
		}
		p, is, err = r.openInPlace(ctx, d, side, s.brief.entered(), s.keys) // what was read may be gone
	}
	if err != nil || is {
		return fmt.Sprintf("it may be what %s is linked to, entered anew: that one is gone or may be; it waits for what becomes of that link (nightporter conflicts)",
			p.Sides[side.Other()].Ref), []record.LinkID{p.Link}, err
	}
	if !named {
		return "", nil, nil
	}
	b, err := r.bereftOf(ctx, d, side)
	if err != nil {
		return "", nil, err
	}
	for _, k := range keys {
		if p, ok := b.by[k]; ok {
			return fmt.Sprintf("its %s is that of %s, which is linked to %s, and that is gone or may be: it waits for what becomes of that one (nightporter conflicts)",
				k.Name, p.Sides[side.Other()].Ref, p.Sides[side].Ref), []record.LinkID{p.Link}, nil
		}
	}
	if p := b.hidden; p != nil {
		return fmt.Sprintf("it may be what %s is, which can't be read now: that is linked to %s, and that is gone or may be; it waits until one of the two is known",
			p.Sides[side.Other()].Ref, p.Sides[side].Ref), []record.LinkID{p.Link}, nil
	}
	return "", nil, nil
}

// bereft is the links of which a side's record is gone, or may be: also where another record has its id now.
type bereft struct {
	by     map[record.Key]record.Pair   // by those keys of the record across that name others
	was    map[record.Key][]record.Pair // by every key that either record of it has, or had when they were in step
	told   map[entered]record.Pair      // by what a person was told of that may be the record that is gone
	hidden *record.Pair                 // one of them of whose record across only digests are known; nil: none
}

// bereftOf is bereft, asked once a plan.
func (r *run) bereftOf(ctx context.Context, d *draft, side record.Side) (*bereft, error) {
	if d.bereft[side] == nil {
		var err error
		if d.bereft[side], err = r.bereft(ctx, side); err != nil {
			return nil, err
		}
	}
	return d.bereft[side], nil
}

// bereft reads a record across of which only digests are kept: its keys are in its values.
func (r *run) bereft(ctx context.Context, side record.Side) (*bereft, error) {
	pairs, err := r.withoutTheirs(ctx, side)
	if err != nil {
		return nil, err
	}
	out := &bereft{by: map[record.Key]record.Pair{}, was: map[record.Key][]record.Pair{}, told: map[entered]record.Pair{}}
	across := side.Other()
	for _, p := range pairs {
		p, err := r.revealSides(ctx, p, []record.Side{across})
		if err != nil && !errors.Is(err, errUnread) {
			return nil, err
		}
		if err != nil || r.hides(across, p.Sides[across]) {
			out.hidden = &p
			continue
		}
		if err := r.addOpen(ctx, out, p, side); err != nil {
			return nil, err
		}
		s, err := r.sideOf(ctx, across, p.Sides[across])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Sides[across].Ref, err)
		}
		for _, k := range r.job.Mapping.Keys(across, s.Native, resolvedOnly(s.Now)) {
			if r.refers(k.Name) {
				out.by[k] = p
			}
		}
	}
	return out, nil
}

// withoutTheirs is the links of which a side has lost its record: the record is gone, or another one has its id. The state
// knows most of them. This plan may have found more, which are not stored yet.
func (r *run) withoutTheirs(ctx context.Context, side record.Side) ([]record.Pair, error) {
	pairs, err := r.Store.Bereft(ctx, r.place(side))
	if err != nil {
		return nil, err
	}
	strange, err := r.Store.Strange(ctx, r.place(side))
	if err != nil {
		return nil, err
	}
	for _, a := range r.absences {
		if a.fate.Deed == plan.Ask || a.fate.Deed == plan.Break {
			strange = append(strange, a.pair)
		}
	}
	slices.SortFunc(strange, func(a, b record.Pair) int { return cmp.Compare(a.Link, b.Link) }) // a map has no order
	known := map[record.LinkID]bool{}
	for _, p := range pairs {
		known[p.Link] = true
	}
	for _, p := range strange {
		e := p.Sides[side]
		if !known[p.Link] && p.Sides[side.Other()].State != record.Gone && (aside(e.State) || r.isAnother(r.job, side, e)) {
			known[p.Link], pairs = true, append(pairs, p)
		}
	}
	return pairs, nil
}

// addOpen adds what may be in the place of a link that is not ended, or that a person is asked about.
func (r *run) addOpen(ctx context.Context, b *bereft, p record.Pair, side record.Side) error {
	asked, err := r.Store.Choices(ctx, p.Link)
	if err != nil {
		return fmt.Errorf("look what persons are asked: %w", err)
	}
	if p.State.Ended() && !r.isAsked(p, asked) {
		return nil
	}
	keys, err := r.keysOfLink(ctx, p, side)
	if err != nil {
		return err
	}
	for _, k := range keys {
		b.was[k] = append(b.was[k], p)
	}
	told, err := r.toldStill(ctx, p, asked, side)
	for _, e := range told {
		b.told[e] = p
	}
	return err
}

// tellsByKey reports whether a key of its own makes a record another one, as a phone does of a contact: that
// is how a user tells two apart. A booking that is moved is what it was.
func (r *run) tellsByKey() bool {
	return r.job.Booking == nil && !slices.ContainsFunc(r.ruleNames(), r.refers)
}

// refers reports whether a match rule has a field that names another record.
func (r *run) refers(rule string) bool {
	return slices.ContainsFunc(strings.Split(rule, "+"), func(f string) bool { return r.refs[f] })
}
