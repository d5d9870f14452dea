package decide

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"nightporter/sync/plan"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// objectUndecided puts a record aside of which a field can't be read that decides whether, and as what, it is made.
// The record stays a candidate for a match: see recallUndecided.
func (r *Room) objectUndecided(_ context.Context, n *arrival) (outcome, error) {
	problems := plan.Undecided(r.Job.Rules, n.s.Side, n.side, len(n.s.Keys) > 0)
	if len(problems) == 0 {
		return outcome{}, nil
	}
	r.observe.Undecided(n.side, n.s.Entry, n.s.Ref, problems)
	whys := make([]string, len(problems))
	for i, p := range problems {
		whys[i] = fmt.Sprintf("its %s can't be read: %s", p.Field, p.Text)
	}
	return n.leaves(record.Quarantined, fmt.Sprintf("%s; it is not created in %s until it can be read", strings.Join(whys, "; "), r.Side(n.side.Other()).System)), nil
}

// recallUndecided adds to a side the records that earlier runs put aside because nobody could read what decides about
// them. Such a record may have been entered by hand across since, and a rule may join the two.
func (r *Room) recallUndecided(ctx context.Context, side record.Side, have map[int64]bool, strangers *[2][]run.Candidate) error {
	var nums []int64
	for k := range r.Found.Known {
		if k.Name == record.FindUndecided && k.Side == side && !have[k.Entry] {
			nums = append(nums, k.Entry)
		}
	}
	slices.Sort(nums)
	es, err := r.store.Entries(ctx, nums)
	if err != nil {
		return err
	}
	for _, num := range nums {
		e, ok := es[num]
		if !ok || e.Link != 0 || e.State != record.Quarantined {
			continue
		}
		c, ok, err := r.match.Candidate(ctx, side, e)
		if err != nil {
			return err
		}
		if ok {
			have[num] = true
			strangers[side] = append(strangers[side], c)
		}
	}
	return nil
}
