package decide

import (
	"context"
	"fmt"
	"slices"

	"nightporter/sync/plan/away"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// inPlaceOf says that a record may stand for one of its own side that is gone, or may be, and is still linked.
// Example: a booking was removed and entered anew. What becomes of that link is decided first: made before that,
// the booking would stand across twice. Keys without a reference are asked for by match. links is the link of
// the missing record.
func (r *Room) inPlaceOf(ctx context.Context, d *run.Draft, side record.Side, s run.Stranger) (why string, links []record.LinkID, err error) {
	keys := slices.DeleteFunc(slices.Clone(s.Keys), func(k record.Key) bool { return !r.Refers(k.Name) })
	named := len(keys) > 0 && r.Side(side.Other()).Gone.Policy != away.GoneIgnore
	p, is, err := r.openInPlace(ctx, d, side, s.Brief.Entered(), s.Keys)
	if err == nil && !is && named {
		if why, err := r.proof.ReadEarlier(ctx, d, side, s); err != nil || why != "" {
			return why, nil, err
		}
		p, is, err = r.openInPlace(ctx, d, side, s.Brief.Entered(), s.Keys) // what was just read may be found to be gone
	}
	if err != nil || is {
		return fmt.Sprintf("it may be what %s is linked to, entered anew: that one is gone or may be; it waits for what becomes of that link (nightporter conflicts)",
			p.Sides[side.Other()].Ref), []record.LinkID{p.Link}, err
	}
	if !named {
		return "", nil, nil
	}
	b, err := r.gone.BereftOf(ctx, d, side)
	if err != nil {
		return "", nil, err
	}
	for _, k := range keys {
		if p, ok := b.By[k]; ok {
			return fmt.Sprintf("its %s is that of %s, which is linked to %s, and that is gone or may be: it waits for what becomes of that one (nightporter conflicts)",
				k.Name, p.Sides[side.Other()].Ref, p.Sides[side].Ref), []record.LinkID{p.Link}, nil
		}
	}
	if p := b.Hidden; p != nil {
		return fmt.Sprintf("it may be what %s is, which can't be read now: that is linked to %s, and that is gone or may be; it waits until one of the two is known",
			p.Sides[side.Other()].Ref, p.Sides[side].Ref), []record.LinkID{p.Link}, nil
	}
	return "", nil, nil
}
