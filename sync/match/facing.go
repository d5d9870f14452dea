package match

import (
	"context"
	"fmt"
	"slices"

	"nightporter/sync/record"
	"nightporter/sync/run"
)

// Alike returns the records of a side that have one of these keys, in the order of their ids. Those that are gone
// are left out.
func (r *Room) Alike(ctx context.Context, side record.Side, keys []record.Key) ([]record.Entry, error) {
	es, err := r.store.Matching(ctx, r.Place(side), keys)
	if err != nil {
		return nil, err
	}
	have := map[record.Ref]bool{}
	for _, e := range es {
		have[e.Ref] = true
	}
	for _, ref := range r.Facing.Sharing(side, keys, r.Refers) {
		if have[ref] {
			continue
		}
		have[ref] = true
		e, ok, err := r.store.Entry(ctx, r.Place(side), ref)
		if err != nil {
			return nil, err
		}
		if ok {
			es = append(es, e)
		}
	}
	es = slices.DeleteFunc(es, func(e record.Entry) bool { return e.State == record.Gone })
	slices.SortFunc(es, func(a, b record.Entry) int { return compareIDs(a.Ref.ID, b.Ref.ID) })
	return es, nil
}

// KeysNow returns the keys of a record without a link. Keys that name another record are included.
func (r *Room) KeysNow(ctx context.Context, side record.Side, e record.Entry) ([]record.Key, error) {
	if !slices.ContainsFunc(r.RuleNames(), r.Refers) {
		return e.Keys, nil
	}
	s, err := r.refer.SideOf(ctx, side, e)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.Ref, err)
	}
	return r.Job.Mapping.Keys(side, s.Native, run.ResolvedOnly(s.Now)), nil
}
