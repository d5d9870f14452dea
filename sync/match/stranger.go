package match

import (
	"context"
	"fmt"

	"nightporter/sync/record"
	"nightporter/sync/run"
)

// Candidates reads all entries of a side that have no link and are to be looked at.
func (r *Room) Candidates(ctx context.Context, side record.Side) ([]run.Candidate, error) {
	var out []run.Candidate
	after := int64(0)
	for {
		es, err := r.store.Unlinked(ctx, r.Place(side), after, run.Batch)
		if err != nil || len(es) == 0 {
			return out, err
		}
		for _, e := range es {
			after = e.Num
			if e.State == record.OutOfScope {
				continue
			}
			c, ok, err := r.Candidate(ctx, side, e)
			if err != nil {
				return nil, err
			}
			if ok {
				out = append(out, c)
			}
		}
	}
}

// Candidate is an entry without a link as matching sees it. It reports false where the state can't tell.
func (r *Room) Candidate(ctx context.Context, side record.Side, e record.Entry) (run.Candidate, bool, error) {
	if damaged, err := r.observe.CantTell(ctx, side, e); err != nil || damaged {
		return run.Candidate{}, false, err
	}
	s, err := r.refer.SideOf(ctx, side, e)
	if err != nil {
		return run.Candidate{}, false, fmt.Errorf("%s: %w", e.Ref, err)
	}
	keys := r.Job.Mapping.Keys(side, s.Native, run.ResolvedOnly(s.Now))
	return run.Candidate{Brief: run.BriefOf(e), Keys: keys, Blanked: r.BlankedRules(s.Blanked), Mark: markOf(e)}, true, nil
}

// Unlinked reads a candidate as what it means. It reports false if it is not to be
// paired any more.
func (r *Room) Unlinked(ctx context.Context, side record.Side, ref record.Ref) (run.SeenSide, bool, error) {
	e, ok, err := r.store.Entry(ctx, r.Place(side), ref)
	if err != nil || !ok || e.Link != 0 {
		return run.SeenSide{}, false, err
	}
	s, err := r.refer.SideOf(ctx, side, e)
	return s, err == nil, err
}

// Linked finds linked records by stored keys. Keys with a reference in them are
// not stored: such records are told apart among strangers only.
func (r *Room) Linked(ctx context.Context) linkedBy {
	return func(side record.Side, keys []record.Key) (map[record.Key][]record.Ref, error) {
		return r.store.Linked(ctx, r.Place(side), keys)
	}
}

// Twins tells records of their own from others that hold the same, where a side has such:
// its records never change, and are two where this run's list shows both. The linked ones
// must have across all that is linked there under that key, but for what was put aside with
// one that is gone, so that what is not linked is nobody else's.
func (r *Room) Twins(ctx context.Context) twins {
	return func(side record.Side, taken [2][]record.Ref) (bool, error) {
		if !r.Side(side).Can.Immutable || !r.observe.Showed[side] {
			return false, nil
		}
		links := map[record.LinkID]bool{}
		for _, ref := range taken[side] {
			e, ok, err := r.store.Entry(ctx, r.Place(side), ref)
			if err != nil || !ok || e.State != record.InStep {
				return false, err
			}
			links[e.Link] = true
		}
		for _, ref := range taken[side.Other()] {
			e, ok, err := r.store.Entry(ctx, r.Place(side.Other()), ref)
			if err != nil || !ok {
				return false, err
			}
			if links[e.Link] {
				continue
			}
			if aside, err := r.putAside(ctx, side.Other(), e); err != nil || !aside {
				return false, err
			}
		}
		return true, nil
	}
}

// putAside reports whether a linked record of a side was put aside by us with the one across,
// which is gone, and is so still. One that a person left to itself, or took up again, is not.
func (r *Room) putAside(ctx context.Context, side record.Side, e record.Entry) (bool, error) {
	archive := r.Side(side).Gone.Archive
	if e.State != record.InStep || len(archive) == 0 || !e.Last().Agrees(archive) {
		return false, nil
	}
	pair, ok, err := r.store.Pair(ctx, e.Link)
	if err != nil || !ok || pair.State != record.LinkParted {
		return false, err
	}
	gone := pair.Sides[side.Other()]
	if gone.State != record.Gone {
		return false, nil
	}
	t, ok, err := r.store.Tombstone(ctx, gone.Num)
	return err == nil && (!ok || t.Done == record.AfterArchived), err // none: it was long ago
}
