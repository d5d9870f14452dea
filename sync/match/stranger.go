package match

import (
	"context"
	"fmt"

	"nightporter/sync/record"
	"nightporter/sync/run"
)

// Candidates reads all entries of a side that have no link and are to be matched.
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

// Candidate returns an entry without a link as matching sees it. It reports false if what is kept of the entry is
// damaged.
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

// Unlinked reads a record without a link into what it means. It reports false if the record is not known, or has a
// link by now.
func (r *Room) Unlinked(ctx context.Context, side record.Side, ref record.Ref) (run.SeenSide, bool, error) {
	e, ok, err := r.store.Entry(ctx, r.Place(side), ref)
	if err != nil || !ok || e.Link != 0 {
		return run.SeenSide{}, false, err
	}
	s, err := r.refer.SideOf(ctx, side, e)
	return s, err == nil, err
}

// Linked returns a function that finds linked records by stored keys. Keys with a reference in them are not stored:
// by those, only records without a link are told apart.
func (r *Room) Linked(ctx context.Context) LinkedBy {
	return func(side record.Side, keys []record.Key) (map[record.Key][]record.Ref, error) {
		return r.store.Linked(ctx, r.Place(side), keys)
	}
}

// Twins returns a function that tells whether a new record is one of its own although linked records hold the same.
// Only a side where records never change has such records: they are two if the list of this run shows both. Every
// linked record across with that key must belong to one of the linked ones here, unless it was put aside because
// its partner is gone. Otherwise the new record might belong to a record across.
func (r *Room) Twins(ctx context.Context) Twins {
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

// putAside reports whether we put a linked record of a side aside because the record across is gone, and both are
// still so. A record that a person left to itself, or that somebody took up again, does not count.
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
	return err == nil && (!ok || t.Done == record.AfterArchived), err // no tombstone: it was long ago
}
