package match

import (
	"context"
	"fmt"
	"slices"
	"time"

	"nightporter/sync/plan"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// Two jobs may create records of one kind, as the job of the guests and an import do. Its system may not list yet,
// nor find, what the other job has just created. But the state knows it.

// MadeElsewhere says why another job may already have made a record that is to be created, "" if nothing says so.
// That job has the same source, or a record that agrees with it by a match rule. It has linked the source, wrote its
// record across just now, or has sent a create for it, and nobody knows what became of the create.
func (r *Room) MadeElsewhere(ctx context.Context, a plan.Action) (string, error) {
	from := a.Side.Other()
	if why, err := r.LinkedElsewhere(ctx, from, a.Source); err != nil || why != "" {
		return why, err
	}
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
	return r.sentForSource(ctx, from, a.Source)
}

// sentForSource says what another job has just sent for the very record that a create is made from, "" for nothing.
// Match keys do not tell that of a booking: they name its guest, and such keys are not stored.
func (r *Room) sentForSource(ctx context.Context, side record.Side, source record.Ref) (string, error) {
	for _, p := range r.sharing(side) {
		e, ok, err := r.store.Entry(ctx, p, r.RefIn(p, source))
		if err != nil {
			return "", fmt.Errorf("look what job %s has made: %w", p.Binding, err)
		}
		if !ok {
			continue
		}
		if why, err := r.sentFor(ctx, record.Place{Binding: p.Binding, Side: p.Side.Other()}, []record.Entry{e}); err != nil || why != "" {
			return why, err
		}
	}
	return "", nil
}

// sentFor says what another job has just sent to a place for one of its records, "" for nothing.
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
