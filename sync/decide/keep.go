package decide

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"nightporter/sync/links"
	"nightporter/sync/plan"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// Again decides once more the quiet pairs, of which only the names were kept. If only some of a plan may be done,
// it leaves out pairs without a link that are not wanted.
func (r *Room) Again(ctx context.Context, some []run.Decided, wanted map[string]bool) ([]run.Decided, error) {
	out := make([]run.Decided, 0, len(some))
	known, err := r.strangersAgain(ctx, some)
	if err != nil {
		return nil, err
	}
	for _, p := range some {
		switch {
		case p.Link == 0 && r.Limited() && !wanted[p.Entity]:
			continue
		case p.Quiet:
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

// strangersAgain reads the entries of the quiet pairs that have no link yet.
func (r *Room) strangersAgain(ctx context.Context, some []run.Decided) (map[int64]record.Entry, error) {
	var nums []int64
	for _, p := range some {
		if p.Quiet && p.Link == 0 {
			nums = append(nums, p.Entries[:]...)
		}
	}
	if len(nums) == 0 {
		return map[int64]record.Entry{}, nil
	}
	return r.store.Entries(ctx, nums)
}

// decideAgain decides a quiet pair once more; known has the entries of pairs without a link. It returns false if
// the pair is not quiet any more, or can't be decided now.
func (r *Room) decideAgain(ctx context.Context, p run.Decided, known map[int64]record.Entry) (run.Decided, bool, error) {
	var fresh run.Decided
	if p.Link != 0 {
		pair, ok, err := r.store.Pair(ctx, p.Link)
		if err != nil || !ok || pair.State == record.LinkUnsure {
			return p, false, err
		}
		if r.gone.MayBeGone(pair) { // since it was planned
			return p, false, nil
		}
		fresh, err = r.DecidePair(ctx, pair)
		if _, is := run.Unnamed(err); is || errors.Is(err, run.ErrUnread) {
			return p, false, nil
		}
		if err != nil {
			return p, false, fmt.Errorf("link %d: %w", p.Link, err)
		}
	} else {
		sides, ok, err := r.unlinkedPair(ctx, known, p.Entries, p.Refs)
		if err != nil || !ok {
			return p, false, err
		}
		fresh, err = r.decideJoin(ctx, p.Entity, sides)
		if _, is := run.Unnamed(err); is {
			return p, false, nil
		}
		if err != nil {
			return p, false, err
		}
	}
	full := fresh
	fresh.Hush()
	return full, fresh.Quiet, nil
}

// KeepPairs stores what is settled about pairs, and makes the links of those that have none yet. It adds to linked
// the new links that something is still written to, by entity.
func (r *Room) KeepPairs(ctx context.Context, some []run.Decided, linked map[string]record.LinkID) error {
	var fresh []run.Decided
	for _, p := range some {
		if p.Link == 0 {
			fresh = append(fresh, p)
			continue
		}
		if p.Gone != nil {
			if err := r.gone.KeepGone(ctx, p); err != nil {
				return err
			}
			continue
		}
		if p.Idle {
			continue
		}
		if p.Dirty && len(p.Verdict.Actions) > 0 { // the mark stays until its writes are done
			p.Verdict.Adopt, p.Waits = [2]record.Fields{}, nil
		}
		if err := r.links.TellVain(ctx, p); err != nil {
			return err
		}
		p.Verdict.Conflicts = slices.Concat(p.Verdict.Conflicts, p.Kept)
		if err := r.keepVerdict(ctx, p.Link, p.Verdict, p.Waits); err != nil {
			return err
		}
		if p.Dirty && (len(p.Refused) > 0 || p.Verdict.Problem != "") { // nothing but the mark says that there is something to write
			if err := r.store.Touch(ctx, r.Lease, p.Entries[:]); err != nil {
				return fmt.Errorf("keep link %d marked: %w", p.Link, err)
			}
		}
	}
	return r.keepJoins(ctx, fresh, linked)
}

// keepJoins makes the links of pairs that have none, and stores what is settled about them.
func (r *Room) keepJoins(ctx context.Context, fresh []run.Decided, linked map[string]record.LinkID) error {
	if len(fresh) == 0 {
		return nil
	}
	all := make([]record.Joining, len(fresh))
	for i, p := range fresh {
		all[i] = record.Joining{Entries: p.Entries, Entity: p.Entity, Ends: r.endedBy(p), Settled: links.Adopts(p.Verdict), Bases: p.Verdict.Adopt}
	}
	made, err := r.store.JoinAll(ctx, r.Lease, all, time.Now())
	if err != nil {
		return fmt.Errorf("link %d pairs, the first of them %s and %s: %w", len(fresh), fresh[0].Refs[record.Left], fresh[0].Refs[record.Right], err)
	}
	for i, p := range fresh {
		if len(p.Verdict.Actions) > 0 {
			linked[p.Entity] = made[i]
		}
		r.Count("linked", 1)
		if err := r.askForRest(ctx, p); err != nil {
			return err
		}
		if len(p.Verdict.Conflicts) > 0 { // a link that was just made has no conflict that could be closed
			if err := r.KeepConflicts(ctx, made[i], p.Verdict.Conflicts); err != nil {
				return err
			}
		}
		if err := r.keepWaits(ctx, made[i], p.Waits); err != nil {
			return err
		}
	}
	return nil
}

// endedBy returns the creates without an answer that end when the two records of a pair are linked.
func (r *Room) endedBy(p run.Decided) (ids []string) {
	for _, num := range p.Entries {
		if id := r.match.Meeting[num]; id != "" {
			ids = append(ids, id)
			delete(r.match.Meeting, num)
		}
	}
	return ids
}

// askForRest has records of a new link read by id, if lists may hide something of them. What such a read shows is
// compared as at a first meeting.
func (r *Room) askForRest(ctx context.Context, p run.Decided) error {
	now := time.Now()
	for side, partly := range p.Partly {
		if !partly {
			continue
		}
		if err := r.store.Judge(ctx, r.Lease, p.Entries[side], record.InStep, "", now, now); err != nil {
			return fmt.Errorf("have %s read by its id: %w", p.Refs[side], err)
		}
	}
	return nil
}

// inSlices calls do n times, many calls in one transaction. No single call is worth a commit: if a run dies, the
// next one plans it again.
func (r *Room) inSlices(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	for from := 0; from < n; from += run.Slice {
		err := r.store.Together(ctx, func(ctx context.Context) error {
			for i := from; i < min(n, from+run.Slice); i++ {
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

// keepVerdict stores what a verdict says, apart from its writes.
func (r *Room) keepVerdict(ctx context.Context, link record.LinkID, v plan.Verdict, ws []run.Waits) error {
	now := time.Now()
	if links.Adopts(v) {
		if err := r.store.Adopt(ctx, r.Lease, link, v.Adopt, now); err != nil {
			return fmt.Errorf("settle link %d: %w", link, err)
		}
	}
	if err := r.KeepConflicts(ctx, link, v.Conflicts); err != nil {
		return err
	}
	return r.keepWaits(ctx, link, ws)
}

// keepWaits notes what the entries of a link wait for.
func (r *Room) keepWaits(ctx context.Context, link record.LinkID, ws []run.Waits) error {
	now := time.Now()
	for _, w := range ws {
		if err := r.keepMeant(ctx, w.Meant); err != nil {
			return err
		}
		if len(w.On) == 0 {
			continue
		}
		if err := r.store.WaitFor(ctx, r.Lease, w.Entry.Num, w.On, "", now); err != nil {
			return fmt.Errorf("note what link %d waits for: %w", link, err)
		}
	}
	return nil
}

// keepMeant notes whom references mean.
func (r *Room) keepMeant(ctx context.Context, ms []record.Meant) error {
	for some := range slices.Chunk(ms, run.Batch) {
		if err := r.store.Mean(ctx, r.Lease, some); err != nil {
			return fmt.Errorf("note whom records mean: %w", err)
		}
	}
	return nil
}

// Mark stores why records are not in step.
func (r *Room) Mark(ctx context.Context, d *run.Draft) error {
	now := time.Now()
	if err := r.keepMeant(ctx, d.Meant); err != nil {
		return err
	}
	if err := r.gone.Retell(ctx, d.Retell); err != nil {
		return err
	}
	for _, p := range d.Parks {
		if err := r.settle.EndUnmet(ctx, p.Entry.Num); err != nil {
			return err
		}
	}
	for _, w := range d.Waits {
		if err := r.settle.EndUnmet(ctx, w.Entry.Num); err != nil {
			return err
		}
	}
	err := r.inSlices(ctx, len(d.Parks), func(ctx context.Context, i int) error {
		return r.markPark(ctx, d.Parks[i], d.Asks[d.Parks[i].Entry.Num], now)
	})
	if err != nil {
		return err
	}
	return r.inSlices(ctx, len(d.Waits), func(ctx context.Context, i int) error {
		w := d.Waits[i]
		if err := r.store.WaitFor(ctx, r.Lease, w.Entry.Num, w.On, w.Why, now); err != nil {
			return fmt.Errorf("let %s wait: %w", w.Entry.Ref, err)
		}
		return nil
	})
}

// markPark stores why one record is not in step; q is the question about it.
func (r *Room) markPark(ctx context.Context, p run.Park, q run.Asks, now time.Time) error {
	var cs []record.Question
	if p.State == record.Held {
		cs = []record.Question{{
			Binding: r.Job.Binding, Subject: record.Subject{Entry: p.Entry.Num, Field: record.WhichIsSame}, Why: p.Why, Rests: q.Rests,
			Cause: p.Cause, Choices: string(cmp.Or(q.Answers, plan.AnyAnswer)), Opened: now, Run: r.Lease.Run,
		}}
	}
	if p.State == record.Held || p.Entry.State == record.Held {
		if err := r.store.Ask(ctx, r.Lease, 0, p.Entry.Num, cs, now); err != nil {
			return fmt.Errorf("hold %s: %w", p.Entry.Ref, err)
		}
	}
	if p.State == p.Entry.State && p.Cause == p.Entry.Cause && p.Why == p.Entry.Why && !p.Entry.Dirty {
		return nil
	}
	if err := r.store.Park(ctx, r.Lease, p.Entry.Num, p.State, p.Cause, p.Why); err != nil {
		return fmt.Errorf("park %s: %w", p.Entry.Ref, err)
	}
	return nil
}
