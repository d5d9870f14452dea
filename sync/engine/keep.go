package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// settleWithoutWrite makes the links of strangers that are the same, and lets bases
// take over what both sides agree on. It gives the links that have writes to come,
// by entity.
func (r *run) settleWithoutWrite(ctx context.Context, d *draft, actions []plan.Action) (map[string]record.LinkID, error) {
	wanted := map[string]bool{}
	for _, a := range actions {
		wanted[a.Entity] = true
	}
	links := map[string]record.LinkID{}
	for _, pairs := range [][]decided{d.joins, d.pairs} {
		for some := range slices.Chunk(pairs, slice) {
			some, err := r.again(ctx, some, wanted)
			if err != nil {
				return nil, err
			}
			err = r.Store.Together(ctx, func(ctx context.Context) error {
				for _, p := range some {
					if err := r.keepPair(ctx, p, links); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				return nil, err
			}
		}
	}
	return links, nil
}

// again decides once more those of which only the name was kept, and leaves out
// strangers whose link is not among what may be done.
func (r *run) again(ctx context.Context, some []decided, wanted map[string]bool) ([]decided, error) {
	out := make([]decided, 0, len(some))
	for _, p := range some {
		switch {
		case p.link == 0 && r.limited() && !wanted[p.entity]:
			continue
		case p.quiet:
			fresh, ok, err := r.decideAgain(ctx, p)
			if err != nil {
				return nil, err
			}
			if !ok { // something came between: the next plan sees it
				continue
			}
			p = fresh
		}
		out = append(out, p)
	}
	return out, nil
}

// decideAgain decides a quiet pair. It reports false if it is not quiet any more.
func (r *run) decideAgain(ctx context.Context, p decided) (decided, bool, error) {
	var fresh decided
	if p.link != 0 {
		pair, ok, err := r.Store.Pair(ctx, p.link)
		if err != nil || !ok || pair.State == record.LinkUnsure {
			return p, false, err
		}
		if fresh, err = r.decidePair(ctx, pair); err != nil {
			return p, false, fmt.Errorf("link %d: %w", p.link, err)
		}
	} else {
		var sides [2]seenSide
		for _, side := range record.Sides {
			var ok bool
			var err error
			if sides[side], ok, err = r.unlinked(ctx, side, p.refs[side]); err != nil || !ok {
				return p, false, err
			}
		}
		var err error
		if fresh, err = r.decideJoin(ctx, p.entity, sides); err != nil {
			return p, false, err
		}
	}
	full := fresh
	fresh.hush()
	return full, fresh.quiet, nil
}

// keepPair stores what is settled about one pair, and its link if it has none yet.
func (r *run) keepPair(ctx context.Context, p decided, links map[string]record.LinkID) error {
	if p.link != 0 {
		if p.dirty && len(p.verdict.Actions) > 0 { // the mark stays until its writes are done
			p.verdict.Adopt, p.waits = [2]record.Fields{}, nil
		}
		p.verdict.Conflicts = slices.Concat(p.verdict.Conflicts, p.kept)
		return r.keepVerdict(ctx, p.link, p.verdict, p.waits)
	}
	link, err := r.Store.Join(ctx, r.lease, p.entries[record.Left], p.entries[record.Right], p.entity, time.Now())
	if err != nil {
		return fmt.Errorf("link %s and %s: %w", p.refs[record.Left], p.refs[record.Right], err)
	}
	if len(p.verdict.Actions) > 0 {
		links[p.entity] = link
	}
	r.count("linked", 1)
	return r.keepVerdict(ctx, link, p.verdict, p.waits)
}

// inSlices does something n times, a slice of it a transaction: nothing of it is
// worth a commit of its own, for a run that dies plans it again.
func (r *run) inSlices(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	for from := 0; from < n; from += slice {
		err := r.Store.Together(ctx, func(ctx context.Context) error {
			for i := from; i < min(n, from+slice); i++ {
				if err := do(ctx, i); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// keepVerdict stores what a verdict says beside its writes.
func (r *run) keepVerdict(ctx context.Context, link record.LinkID, v plan.Verdict, ws []waits) error {
	now := time.Now()
	// A link that has only writes to come stays marked until they are done.
	if len(v.Actions) == 0 || len(v.Adopt[record.Left])+len(v.Adopt[record.Right]) > 0 {
		if err := r.Store.Adopt(ctx, r.lease, link, v.Adopt, now); err != nil {
			return fmt.Errorf("settle link %d: %w", link, err)
		}
	}
	if err := r.keepConflicts(ctx, link, v.Conflicts); err != nil {
		return err
	}
	for _, w := range ws {
		if err := r.Store.WaitFor(ctx, r.lease, w.entry.num, w.on, "", now); err != nil {
			return fmt.Errorf("note what link %d waits for: %w", link, err)
		}
	}
	return nil
}

// keepConflicts makes these the open conflicts of a link.
func (r *run) keepConflicts(ctx context.Context, link record.LinkID, conflicts []record.Conflict) error {
	now := time.Now()
	cs := make([]record.Conflict, len(conflicts))
	for i, c := range conflicts {
		c.Link, c.Binding, c.Opened, c.Run = link, r.job.Binding, now, r.lease.Run
		cs[i] = c
	}
	if err := r.Store.OpenConflicts(ctx, r.lease, link, 0, cs, now); err != nil {
		return fmt.Errorf("note conflicts of link %d: %w", link, err)
	}
	return nil
}

// mark stores why records are not in step.
func (r *run) mark(ctx context.Context, d *draft) error {
	now := time.Now()
	err := r.inSlices(ctx, len(d.parks), func(ctx context.Context, i int) error { return r.markPark(ctx, d.parks[i], now) })
	if err != nil {
		return err
	}
	return r.inSlices(ctx, len(d.waits), func(ctx context.Context, i int) error {
		w := d.waits[i]
		if err := r.Store.WaitFor(ctx, r.lease, w.entry.num, w.on, w.why, now); err != nil {
			return fmt.Errorf("let %s wait: %w", w.entry.ref, err)
		}
		return nil
	})
}

// markPark stores why one record is not in step.
func (r *run) markPark(ctx context.Context, p park, now time.Time) error {
	var cs []record.Conflict
	if p.state == record.Held {
		cs = []record.Conflict{{
			Binding: r.job.Binding, Entry: p.entry.num, Field: "match", Why: p.why,
			Policy: "hold", Opened: now, Run: r.lease.Run,
		}}
	}
	if p.state == record.Held || p.entry.state == record.Held {
		if err := r.Store.OpenConflicts(ctx, r.lease, 0, p.entry.num, cs, now); err != nil {
			return fmt.Errorf("hold %s: %w", p.entry.ref, err)
		}
	}
	if p.state == p.entry.state && p.why == p.entry.why && !p.entry.dirty {
		return nil
	}
	if err := r.Store.Park(ctx, r.lease, p.entry.num, p.state, p.why); err != nil {
		return fmt.Errorf("park %s: %w", p.entry.ref, err)
	}
	return nil
}
