package engine

import (
	"context"
	"fmt"
	"slices"

	"nightporter/sync/record"
)

// planLate joins strangers with versions that a newer one has taken the place of: creates
// that were given up, and were applied after all. Joined they go as every old version
// does; as strangers they would stand beside the newer one for good. It takes them out of
// those that are to be matched.
func (r *run) planLate(ctx context.Context, d *draft, strangers [2][]candidate, wanted *toRead) ([2][]candidate, error) {
	for _, side := range record.Sides {
		if !r.side(side).Can.Immutable {
			continue
		}
		across, joined := side.Other(), map[int64]bool{}
		for _, c := range strangers[across] {
			if r.doubtful[c.num] != "" || wanted != nil && (wanted.side != across || wanted.ref != c.ref) {
				continue
			}
			old, ok, err := r.superseded(ctx, side, c, strangers)
			if err != nil {
				return strangers, fmt.Errorf("look whether %s came late: %w", c.ref, err)
			}
			if !ok {
				continue
			}
			joined[c.num] = true
			refs := [2]record.Ref{}
			refs[side], refs[across] = old, c.ref
			if err := r.planJoin(ctx, d, refs[record.Left], refs[record.Right]); err != nil {
				return strangers, err
			}
		}
		strangers[across] = slices.DeleteFunc(slices.Clone(strangers[across]), func(c candidate) bool { return joined[c.num] })
	}
	return strangers, nil
}

// superseded is the one version of a side that a stranger across was made from, too late: no
// other record of either side has its keys.
func (r *run) superseded(ctx context.Context, side record.Side, c candidate, strangers [2][]candidate) (record.Ref, bool, error) {
	old, err := r.Store.Superseded(ctx, r.place(side), c.keys)
	if err != nil || len(old) != 1 {
		return record.Ref{}, false, err
	}
	alike := func(o candidate) bool {
		return slices.ContainsFunc(o.keys, func(k record.Key) bool { return slices.Contains(c.keys, k) })
	}
	others := func(o candidate) bool { return o.num != c.num && alike(o) }
	if slices.ContainsFunc(strangers[side], alike) || slices.ContainsFunc(strangers[side.Other()], others) {
		return record.Ref{}, false, nil
	}
	for _, s := range record.Sides {
		if taken, err := r.Store.Linked(ctx, r.place(s), c.keys); err != nil || len(taken) > 0 {
			return record.Ref{}, false, err
		}
	}
	return old[0].Ref, true, nil
}
