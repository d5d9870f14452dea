package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// inPlaceOf says that what a record would be made as is there already, linked to one of its
// own side that is gone, or may be: a booking that was removed and entered anew. What
// becomes of the one that is gone comes first; made before that, both would stand there.
// Keys without a reference are asked for by match.
func (r *run) inPlaceOf(ctx context.Context, d *draft, side record.Side, keys []record.Key) (string, error) {
	keys = slices.DeleteFunc(slices.Clone(keys), func(k record.Key) bool { return !r.refers(k.Name) })
	if len(keys) == 0 || r.side(side.Other()).Gone.Policy == plan.GoneIgnore {
		return "", nil
	}
	if d.bereft[side] == nil { // asked once a plan
		var err error
		if d.bereft[side], err = r.bereft(ctx, side); err != nil {
			return "", err
		}
	}
	for _, k := range keys {
		if p, ok := d.bereft[side][k]; ok {
			return fmt.Sprintf("its %s is that of %s, which is linked to %s, and that is gone or may be: it waits for what becomes of that one (nightporter conflicts)",
				k.Name, p.Sides[side.Other()].Ref, p.Sides[side].Ref), nil
		}
	}
	return "", nil
}

// bereft is the links of which a side's record is gone, or may be, by those keys of the
// record across that name others.
func (r *run) bereft(ctx context.Context, side record.Side) (map[record.Key]record.Pair, error) {
	pairs, err := r.Store.Bereft(ctx, r.place(side))
	if err != nil {
		return nil, err
	}
	out := map[record.Key]record.Pair{}
	for _, p := range pairs {
		s, err := r.sideOf(ctx, side.Other(), p.Sides[side.Other()])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Sides[side.Other()].Ref, err)
		}
		for _, k := range r.job.Mapping.Keys(side.Other(), s.Native, resolvedOnly(s.Now)) {
			if r.refers(k.Name) {
				out[k] = p
			}
		}
	}
	return out, nil
}

// refers reports whether a match rule has a field that names another record.
func (r *run) refers(rule string) bool {
	return slices.ContainsFunc(strings.Split(rule, "+"), func(f string) bool { return r.refs[f] })
}
