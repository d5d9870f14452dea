package engine

import (
	"context"
	"fmt"
	"slices"

	"nightporter/sync/record"
)

// facing is the strangers of a plan, by those of their keys that name another record. The state does not hold
// such keys: whom they name may change without a word from the record itself.
type facing struct {
	strangers [2][]candidate
	by        [2]map[record.Key][]record.Ref // nil: not asked for yet
}

// sharing is the strangers of a side that have one of these keys.
func (f *facing) sharing(side record.Side, keys []record.Key, refers func(rule string) bool) (refs []record.Ref) {
	if f == nil {
		return nil
	}
	if f.by[side] == nil {
		f.by[side] = map[record.Key][]record.Ref{}
		for _, c := range f.strangers[side] {
			for _, k := range c.keys {
				if refers(k.Name) {
					f.by[side][k] = append(f.by[side][k], c.ref)
				}
			}
		}
	}
	for _, k := range keys {
		refs = append(refs, f.by[side][k]...)
	}
	return refs
}

// alike is what a side has with one of these keys, but for what is gone, in the order of ids.
func (r *run) alike(ctx context.Context, side record.Side, keys []record.Key) ([]record.Entry, error) {
	es, err := r.Store.Matching(ctx, r.place(side), keys)
	if err != nil {
		return nil, err
	}
	have := map[record.Ref]bool{}
	for _, e := range es {
		have[e.Ref] = true
	}
	for _, ref := range r.facing.sharing(side, keys, r.refers) {
		if have[ref] {
			continue
		}
		have[ref] = true
		e, ok, err := r.Store.Entry(ctx, r.place(side), ref)
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

// keysNow is the keys of a record without a link, those that name another one included.
func (r *run) keysNow(ctx context.Context, side record.Side, e record.Entry) ([]record.Key, error) {
	if !slices.ContainsFunc(r.ruleNames(), r.refers) {
		return e.Keys, nil
	}
	s, err := r.sideOf(ctx, side, e)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.Ref, err)
	}
	return r.job.Mapping.Keys(side, s.Native, resolvedOnly(s.Now)), nil
}
