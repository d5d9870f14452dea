package match

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"nightporter/sync/plan"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// Two jobs may make records of one kind, as the job of the guests and an import do. What the other
// one has just made its system may not list yet, nor find. But the state knows it.

// JobsBeside is the other jobs that have a side in the system and the kind of a side of this one.
func (r *Room) JobsBeside(side record.Side) (out []record.Place) {
	here := r.Side(side)
	for _, b := range slices.Sorted(maps.Keys(r.Jobs)) {
		for _, s := range record.Sides {
			if there := &r.Jobs[b].Sides[s]; b != r.Job.Binding && there.System == here.System && there.Kind == here.Kind {
				out = append(out, record.Place{Binding: b, Side: s})
			}
		}
	}
	return out
}

// MadeElsewhere says of a record that is to be created that another job may have made it, of one that
// agrees by a match rule: it wrote it across just now, or has sent a create of which nobody knows what
// became. "" for neither.
func (r *Room) MadeElsewhere(ctx context.Context, a plan.Action) (string, error) {
	now, _ := r.Job.Mapping.Read(a.Side, a.Change.Fields)
	keys := r.Job.Mapping.Keys(a.Side, a.Change.Fields, run.ResolvedOnly(now))
	for _, p := range r.JobsBeside(a.Side) {
		alike, err := r.store.Matching(ctx, record.Place{Binding: p.Binding, Side: p.Side.Other()}, keys)
		if err != nil {
			return "", fmt.Errorf("look what job %s has made: %w", p.Binding, err)
		}
		if why, err := r.sentFor(ctx, p, alike); err != nil || why != "" {
			return why, err
		}
	}
	return "", nil
}

// sentFor says what another job has just sent to a place for one of its records.
func (r *Room) sentFor(ctx context.Context, to record.Place, of []record.Entry) (string, error) {
	if len(of) == 0 {
		return "", nil
	}
	for _, e := range of {
		pair, ok, err := r.store.Pair(ctx, e.Link)
		if err != nil {
			return "", err
		}
		if made := pair.Sides[to.Side]; ok && time.Now().Before(made.SettleUntil) {
			return fmt.Sprintf("%s has just written %s, of %s, which agrees with it", to.Binding, made.Ref, e.Ref), nil
		}
	}
	open, err := r.store.Unsettled(ctx, to.Binding)
	if err != nil {
		return "", err
	}
	lost, err := r.store.Lost(ctx, to.Binding)
	for _, in := range slices.Concat(open, lost) {
		i := slices.IndexFunc(of, func(e record.Entry) bool { return e.Num == in.From })
		if i >= 0 && in.Change.Op == record.Create && in.Place == to {
			return fmt.Sprintf("%s has sent a create for %s, which agrees with it, and nobody knows yet what became of that", to.Binding, of[i].Ref), nil
		}
	}
	return "", err
}
