package decide

import (
	"context"
	"fmt"
	"slices"

	"nightporter/sync/plan/away"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// inPlaceOf returns the question about a record that may stand for one of its own side that is gone, or may be, and is
// still linked. Example: a booking was removed and entered anew. What becomes of that link is decided first: made before
// that, the booking would stand across twice. Keys without a reference are asked for by match. A question without a
// reason is none.
func (r *Room) inPlaceOf(ctx context.Context, d *run.Draft, side record.Side, s run.Stranger) (question, error) {
	q := question{cause: run.InPlace}
	keys := slices.DeleteFunc(slices.Clone(s.Keys), func(k record.Key) bool { return !r.Refers(k.Name) })
	named := len(keys) > 0 && r.Side(side.Other()).Gone.Policy != away.GoneIgnore
	p, is, err := r.openInPlace(ctx, d, side, s.Brief.Entered(), s.Keys)
	if err == nil && !is && named {
		if why, err := r.proof.ReadEarlier(ctx, d, side, s); err != nil || why != "" {
			q.why = why
			return q, err
		}
		p, is, err = r.openInPlace(ctx, d, side, s.Brief.Entered(), s.Keys) // what was just read may be found to be gone
	}
	if err != nil || is {
		q.why, q.links = fmt.Sprintf("it may be what %s is linked to, entered anew: that one is gone or may be; it waits for what becomes of that link (nightporter conflicts)",
			p.Sides[side.Other()].Ref), []record.LinkID{p.Link}
		return q, err
	}
	if !named {
		return q, nil
	}
	return r.besideBereft(ctx, d, side, s, keys)
}

// besideBereft returns the question about a record with a key of one across that is left of a link, or that may be one
// that can't be read now.
func (r *Room) besideBereft(ctx context.Context, d *run.Draft, side record.Side, s run.Stranger, keys []record.Key) (question, error) {
	q := question{cause: run.InPlace}
	b, err := r.gone.BereftOf(ctx, d, side)
	if err != nil {
		return q, err
	}
	for _, k := range keys {
		p, ok := b.By[k]
		if !ok {
			continue
		}
		q.links = []record.LinkID{p.Link}
		if _, alone, err := r.goesAlone(ctx, p.Sides[side.Other()]); err != nil || alone {
			if err != nil {
				return q, err
			}
			return r.mayBeAlone(ctx, side, s, p, q)
		}
		q.why = fmt.Sprintf("its %s is that of %s, which is linked to %s, and that is gone or may be: it waits for what becomes of that one (nightporter conflicts)",
			k.Name, p.Sides[side.Other()].Ref, p.Sides[side].Ref)
		return q, nil
	}
	if p := b.Hidden; p != nil {
		q.why, q.links = fmt.Sprintf("it may be what %s is, which can't be read now: that is linked to %s, and that is gone or may be; it waits until one of the two is known",
			p.Sides[side.Other()].Ref, p.Sides[side].Ref), []record.LinkID{p.Link}
	}
	return q, nil
}
