package engine

import (
	"context"
	"fmt"
	"slices"

	"nightporter/sync/plan"
	"nightporter/sync/proof"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// scanAgain reads a side once more if writes need another list of it, and plans anew. If it is cheaper to ask for
// the few records one by one it doesn't: then each create asks first.
func (r *Room) scanAgain(ctx context.Context, d *run.Draft) (*run.Draft, error) {
	for range proof.MoreScans {
		again := false
		for _, side := range record.Sides {
			if held, err := r.trust.Held(ctx, side); err != nil {
				return d, err
			} else if held {
				continue
			}
			if needs, err := r.needsAList(ctx, side, d); err != nil {
				return d, fmt.Errorf("look up %s of %s: %w", r.Side(side).Kind, r.Side(side).System, err)
			} else if !needs {
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

// needsAList reports whether a plan needs one more list of a side.
func (r *Room) needsAList(ctx context.Context, side record.Side, d *run.Draft) (bool, error) {
	if r.Options.Seen && (r.Options.After || r.Options.Skip[side]) { // nobody can have answered since the lists
		return false, nil
	}
	if r.Options.Seen && r.observe.Begun[side].IsZero() && restsOnLack(d, side) {
		return true, nil
	}
	if d.Missing[side] == 0 {
		return false, nil
	}
	cheaper, err := r.askingIsCheaper(ctx, side, d)
	return !cheaper, err
}

// restsOnLack reports whether a plan carries over that a side lacks a record it had: the record across goes, or the
// record is made anew. Somebody may have entered it anew since the last list. A create of a record without a link
// does not count: it is looked up.
func restsOnLack(d *run.Draft, side record.Side) bool {
	lacks := func(a plan.Action) record.Side {
		if a.Change.Op == record.Create {
			return a.Side
		}
		return a.Side.Other()
	}
	return slices.ContainsFunc(d.Pairs, func(p run.Decided) bool {
		return p.Gone != nil && slices.ContainsFunc(p.Verdict.Actions, func(a plan.Action) bool { return lacks(a) == side })
	})
}

// fewLookups is how many records are looked up rather than read by a list of which nobody knows the pages.
const fewLookups = 20

// askingIsCheaper reports whether each new record is looked up instead, by finds that were seen to work. It is
// false if one of the creates that need a list may be known by a rule that nothing can ask by.
func (r *Room) askingIsCheaper(ctx context.Context, side record.Side, d *run.Draft) (bool, error) {
	s := r.Side(side)
	pages := r.Report.Counts[side.String()+".pages"]
	if pages == 0 {
		pages = fewLookups + 1
	}
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
