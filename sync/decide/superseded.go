package decide

import (
	"context"
	"fmt"
	"slices"

	"nightporter/sync/record"
	"nightporter/sync/run"
)

// planLate joins records without a link with old versions that a newer one has replaced. Such a record comes from a
// create that was given up, and was applied after all. Joined, it goes as every old version does; without a link it
// would stand beside the newer one for good. It returns the records that are still to be matched.
func (r *Room) planLate(ctx context.Context, d *run.Draft, strangers [2][]run.Candidate, wanted *run.ToRead) ([2][]run.Candidate, error) {
	for _, side := range record.Sides {
		if !r.Side(side).Can.Immutable {
			continue
		}
		across, joined := side.Other(), map[int64]bool{}
		for _, c := range strangers[across] {
			if r.match.Doubtful[c.Num] != "" || wanted != nil && (wanted.Side != across || wanted.Ref != c.Ref) {
				continue
			}
			old, ok, err := r.superseded(ctx, side, c, strangers)
			if err != nil {
				return strangers, fmt.Errorf("look whether %s came late: %w", c.Ref, err)
			}
			if !ok {
				continue
			}
			joined[c.Num] = true
			refs := [2]record.Ref{}
			refs[side], refs[across] = old, c.Ref
			if err := r.planJoin(ctx, d, refs[record.Left], refs[record.Right]); err != nil {
				return strangers, err
			}
		}
		strangers[across] = slices.DeleteFunc(slices.Clone(strangers[across]), func(c run.Candidate) bool { return joined[c.Num] })
	}
	return strangers, nil
}

// superseded returns the one old version of a side that a record across was made from, too late. It returns false
// if there is no such version or several, or if another record of either side has one of the keys.
func (r *Room) superseded(ctx context.Context, side record.Side, c run.Candidate, strangers [2][]run.Candidate) (record.Ref, bool, error) {
	old, err := r.store.Superseded(ctx, r.Place(side), c.Keys)
	if err != nil || len(old) != 1 {
		return record.Ref{}, false, err
	}
	alike := func(o run.Candidate) bool {
		return slices.ContainsFunc(o.Keys, func(k record.Key) bool { return slices.Contains(c.Keys, k) })
	}
	others := func(o run.Candidate) bool { return o.Num != c.Num && alike(o) }
	if slices.ContainsFunc(strangers[side], alike) || slices.ContainsFunc(strangers[side.Other()], others) {
		return record.Ref{}, false, nil
	}
	for _, s := range record.Sides {
		if taken, err := r.store.Linked(ctx, r.Place(s), c.Keys); err != nil || len(taken) > 0 {
			return record.Ref{}, false, err
		}
	}
	return old[0].Ref, true, nil
}
