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
// take over what both sides agree on. It gives the links by entity.
func (r *run) settleWithoutWrite(ctx context.Context, d *draft, actions []plan.Action) (map[string]record.LinkID, error) {
	wanted := map[string]bool{}
	for _, a := range actions {
		wanted[a.Entity] = true
	}
	links := map[string]record.LinkID{}
	joins := slices.DeleteFunc(slices.Clone(d.joins), func(j join) bool { return r.limited() && !wanted[j.entity] })
	err := r.inSlices(ctx, len(joins), func(ctx context.Context, i int) error {
		j := joins[i]
		link, err := r.Store.Join(ctx, r.lease, j.left, j.right, j.entity, time.Now())
		if err != nil {
			return fmt.Errorf("link %d and %d: %w", j.left, j.right, err)
		}
		links[j.entity] = link
		r.count("linked", 1)
		return r.keepVerdict(ctx, link, j.verdict, j.waits)
	})
	if err != nil {
		return nil, err
	}
	return links, r.inSlices(ctx, len(d.pairs), func(ctx context.Context, i int) error {
		p := d.pairs[i]
		if p.dirty && len(p.verdict.Actions) > 0 { // the mark stays until its writes are done
			p.verdict.Adopt, p.waits = [2]record.Fields{}, nil
		}
		p.verdict.Conflicts = slices.Concat(p.verdict.Conflicts, p.kept)
		return r.keepVerdict(ctx, p.link, p.verdict, p.waits)
	})
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
		if err := r.Store.WaitFor(ctx, r.lease, w.entry.Num, w.on, "", now); err != nil {
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
		if err := r.Store.WaitFor(ctx, r.lease, w.entry.Num, w.on, w.why, now); err != nil {
			return fmt.Errorf("let %s wait: %w", w.entry.Ref, err)
		}
		return nil
	})
}

// markPark stores why one record is not in step.
func (r *run) markPark(ctx context.Context, p park, now time.Time) error {
	var cs []record.Conflict
	if p.state == record.Held {
		cs = []record.Conflict{{
			Binding: r.job.Binding, Entry: p.entry.Num, Field: "match", Why: p.why,
			Policy: "hold", Opened: now, Run: r.lease.Run,
		}}
	}
	if p.state == record.Held || p.entry.State == record.Held {
		if err := r.Store.OpenConflicts(ctx, r.lease, 0, p.entry.Num, cs, now); err != nil {
			return fmt.Errorf("hold %s: %w", p.entry.Ref, err)
		}
	}
	if p.state == p.entry.State && p.why == p.entry.Why && !p.entry.Dirty {
		return nil
	}
	if err := r.Store.Park(ctx, r.lease, p.entry.Num, p.state, p.why); err != nil {
		return fmt.Errorf("park %s: %w", p.entry.Ref, err)
	}
	return nil
}
