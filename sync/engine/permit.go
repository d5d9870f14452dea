package engine

import (
	"context"
	"fmt"

	"nightporter/sync/proof"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// scanAgain reads a side once more if creates need another list of it, and plans anew. If it is cheaper to ask for
// the few records one by one it doesn't: then each create asks first.
func (r *Room) scanAgain(ctx context.Context, d *run.Draft) (*run.Draft, error) {
	for range proof.MoreScans {
		again := false
		for _, side := range record.Sides {
			if held, err := r.trust.Held(ctx, side); err != nil {
				return d, err
			} else if held || d.Missing[side] == 0 {
				continue
			}
			if cheaper, err := r.askingIsCheaper(ctx, side, d); err != nil {
				return d, fmt.Errorf("look up %s of %s: %w", r.Side(side).Kind, r.Side(side).System, err)
			} else if cheaper {
				continue
			}
			if err := r.observe.PullWhole(ctx, side); err != nil {
				return d, fmt.Errorf("read %s of %s once more: %w", r.Side(side).Kind, r.Side(side).System, err)
			}
			again = true
		}
		if !again {
			return d, nil
		}
		var err error
		if d, err = r.planAnew(ctx); err != nil {
			return d, err
		}
	}
	return d, nil
}

// askingIsCheaper reports whether each new record is looked up instead, by finds that were seen to work. It is
// false if one of the creates that need a list may be known by a rule that nothing can ask by.
func (r *Room) askingIsCheaper(ctx context.Context, side record.Side, d *run.Draft) (bool, error) {
	s := r.Side(side)
	pages := r.Report.Counts[side.String()+".pages"]
	if !run.CanFind(s) || s.Can.FindAny || int64(d.Missing[side]) >= pages {
		return false, nil
	}
	for _, a := range d.News {
		if a.Side != side {
			continue
		}
		if lacks, err := r.decide.LacksAList(ctx, a); err != nil {
			return false, err
		} else if !lacks {
			continue
		}
		if can, err := r.proof.CanAskFor(ctx, a); err != nil || !can {
			return false, err
		}
	}
	return true, nil
}
