package engine

import (
	"cmp"
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
	linked := map[string]record.LinkID{}
	for _, pairs := range [][]decided{d.joins, d.pairs} {
		for some := range slices.Chunk(pairs, slice) {
			some, err := r.again(ctx, some, wanted)
			if err != nil {
				return nil, err
			}
			err = r.Store.Together(ctx, func(ctx context.Context) error { return r.keepPairs(ctx, some, linked) })
			if err != nil {
				return nil, err
			}
		}
	}
	return linked, nil
}

// again decides once more those of which only the name was kept, and leaves out
// strangers whose link is not among what may be done.
func (r *run) again(ctx context.Context, some []decided, wanted map[string]bool) ([]decided, error) {
	out := make([]decided, 0, len(some))
	known, err := r.strangersAgain(ctx, some)
	if err != nil {
		return nil, err
	}
	for _, p := range some {
		switch {
		case p.link == 0 && r.limited() && !wanted[p.entity]:
			continue
		case p.quiet:
			fresh, ok, err := r.decideAgain(ctx, p, known)
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

// strangersAgain reads the entries of quiet pairs that have no link yet.
func (r *run) strangersAgain(ctx context.Context, some []decided) (map[int64]record.Entry, error) {
	var nums []int64
	for _, p := range some {
		if p.quiet && p.link == 0 {
			nums = append(nums, p.entries[:]...)
		}
	}
	if len(nums) == 0 {
		return map[int64]record.Entry{}, nil
	}
	return r.Store.Entries(ctx, nums)
}

// decideAgain decides a quiet pair; known is the entries of those without a link. It
// reports false if it is not quiet any more.
func (r *run) decideAgain(ctx context.Context, p decided, known map[int64]record.Entry) (decided, bool, error) {
	var fresh decided
	if p.link != 0 {
		pair, ok, err := r.Store.Pair(ctx, p.link)
		if err != nil || !ok || pair.State == record.LinkUnsure {
			return p, false, err
		}
		if r.mayBeGone(pair) { // since it was planned
			return p, false, nil
		}
		fresh, err = r.decidePair(ctx, pair)
		if _, is := unnamed(err); is {
			return p, false, nil
		}
		if err != nil {
			return p, false, fmt.Errorf("link %d: %w", p.link, err)
		}
	} else {
		sides, ok, err := r.unlinkedPair(ctx, known, p.entries, p.refs)
		if err != nil || !ok {
			return p, false, err
		}
		fresh, err = r.decideJoin(ctx, p.entity, sides)
		if _, is := unnamed(err); is {
			return p, false, nil
		}
		if err != nil {
			return p, false, err
		}
	}
	full := fresh
	fresh.hush()
	return full, fresh.quiet, nil
}

// keepPairs stores what is settled about pairs, and the links of those that have none
// yet.
func (r *run) keepPairs(ctx context.Context, some []decided, linked map[string]record.LinkID) error {
	var fresh []decided
	for _, p := range some {
		if p.link == 0 {
			fresh = append(fresh, p)
			continue
		}
		if p.gone != nil {
			if err := r.keepGone(ctx, p); err != nil {
				return err
			}
			continue
		}
		if p.idle {
			continue
		}
		if p.dirty && len(p.verdict.Actions) > 0 { // the mark stays until its writes are done
			p.verdict.Adopt, p.waits = [2]record.Fields{}, nil
		}
		if err := r.tellVain(ctx, p); err != nil {
			return err
		}
		p.verdict.Conflicts = slices.Concat(p.verdict.Conflicts, p.kept)
		if err := r.keepVerdict(ctx, p.link, p.verdict, p.waits); err != nil {
			return err
		}
		if p.dirty && (len(p.refused) > 0 || p.verdict.Problem != "") { // nothing but the mark says that there is something to write
			if err := r.Store.Touch(ctx, r.lease, p.entries[:]); err != nil {
				return fmt.Errorf("keep link %d marked: %w", p.link, err)
			}
		}
	}
	return r.keepJoins(ctx, fresh, linked)
}

// keepJoins makes the links of strangers, and stores what is settled about them.
func (r *run) keepJoins(ctx context.Context, fresh []decided, linked map[string]record.LinkID) error {
	if len(fresh) == 0 {
		return nil
	}
	all := make([]record.Joining, len(fresh))
	for i, p := range fresh {
		all[i] = record.Joining{Entries: p.entries, Entity: p.entity, Ends: r.endedBy(p), Settled: adopts(p.verdict), Bases: p.verdict.Adopt}
	}
	made, err := r.Store.JoinAll(ctx, r.lease, all, time.Now())
	if err != nil {
		return fmt.Errorf("link %d pairs, the first of them %s and %s: %w", len(fresh), fresh[0].refs[record.Left], fresh[0].refs[record.Right], err)
	}
	for i, p := range fresh {
		if len(p.verdict.Actions) > 0 {
			linked[p.entity] = made[i]
		}
		r.count("linked", 1)
		if err := r.askForRest(ctx, p); err != nil {
			return err
		}
		if len(p.verdict.Conflicts) > 0 { // a link that was just made has none that could be closed
			if err := r.keepConflicts(ctx, made[i], p.verdict.Conflicts); err != nil {
				return err
			}
		}
		if err := r.keepWaits(ctx, made[i], p.waits); err != nil {
			return err
		}
	}
	return nil
}

// endedBy is the creates without an answer that end with the link of two strangers.
func (r *run) endedBy(p decided) (ids []string) {
	for _, num := range p.entries {
		if id := r.meeting[num]; id != "" {
			ids = append(ids, id)
			delete(r.meeting, num)
		}
	}
	return ids
}

// askForRest has the records of a new link read by id of which lists may hide something: what
// that shows is compared as at a first meeting.
func (r *run) askForRest(ctx context.Context, p decided) error {
	now := time.Now()
	for side, partly := range p.partly {
		if !partly {
			continue
		}
		if err := r.Store.Judge(ctx, r.lease, p.entries[side], record.InStep, "", now, now); err != nil {
			return fmt.Errorf("have %s read by its id: %w", p.refs[side], err)
		}
	}
	return nil
}

// adopts reports whether bases take over what a verdict settles. A link that has only
// writes to come stays marked until they are done.
func adopts(v plan.Verdict) bool {
	return len(v.Actions) == 0 || len(v.Adopt[record.Left])+len(v.Adopt[record.Right]) > 0
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
	if adopts(v) {
		if err := r.Store.Adopt(ctx, r.lease, link, v.Adopt, now); err != nil {
			return fmt.Errorf("settle link %d: %w", link, err)
		}
	}
	if err := r.keepConflicts(ctx, link, v.Conflicts); err != nil {
		return err
	}
	return r.keepWaits(ctx, link, ws)
}

// keepWaits notes what the entries of a link wait for.
func (r *run) keepWaits(ctx context.Context, link record.LinkID, ws []waits) error {
	now := time.Now()
	for _, w := range ws {
		if err := r.keepMeant(ctx, w.meant); err != nil {
			return err
		}
		if len(w.on) == 0 {
			continue
		}
		if err := r.Store.WaitFor(ctx, r.lease, w.entry.num, w.on, "", now); err != nil {
			return fmt.Errorf("note what link %d waits for: %w", link, err)
		}
	}
	return nil
}

// keepMeant notes whom references mean.
func (r *run) keepMeant(ctx context.Context, ms []record.Meant) error {
	for some := range slices.Chunk(ms, batch) {
		if err := r.Store.Mean(ctx, r.lease, some); err != nil {
			return fmt.Errorf("note whom records mean: %w", err)
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

// endUnmet ends a create without an answer whose source is not linked with what came: it is held, left
// out, or waits, or another link takes it over. What came is a stranger like any other.
func (r *run) endUnmet(ctx context.Context, num int64) error {
	id := r.meeting[num]
	if id == "" {
		return nil
	}
	delete(r.meeting, num)
	return r.Store.FailIntent(ctx, r.lease, id, record.Cancelled, "", keyHeld, time.Now())
}

// mark stores why records are not in step.
func (r *run) mark(ctx context.Context, d *draft) error {
	now := time.Now()
	if err := r.keepMeant(ctx, d.meant); err != nil {
		return err
	}
	if err := r.retell(ctx, d.retell); err != nil {
		return err
	}
	for _, p := range d.parks {
		if err := r.endUnmet(ctx, p.entry.num); err != nil {
			return err
		}
	}
	for _, w := range d.waits {
		if err := r.endUnmet(ctx, w.entry.num); err != nil {
			return err
		}
	}
	err := r.inSlices(ctx, len(d.parks), func(ctx context.Context, i int) error {
		return r.markPark(ctx, d.parks[i], d.asks[d.parks[i].entry.num], now)
	})
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

// markPark stores why one record is not in step; q is the question about it.
func (r *run) markPark(ctx context.Context, p park, q asks, now time.Time) error {
	var cs []record.Conflict
	if p.state == record.Held {
		cs = []record.Conflict{{
			Binding: r.job.Binding, Entry: p.entry.num, Field: "match", Why: p.why, Facts: q.facts,
			Policy: string(cmp.Or(q.answers, plan.AnyAnswer)), Opened: now, Run: r.lease.Run,
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
