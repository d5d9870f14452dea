package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// Somebody removes a record and enters the same anew under another id. To carry the absence over
// would cost the other side its row: its id, and all that no job maps. So a person is asked as long
// as a record without a link agrees, by a match rule, with the one that is left. It is not made
// across meanwhile: matching holds what has the key of a linked record.

// newcomersLike is the records without a link of a side of which a record is gone that agree with
// the one across by a match rule.
func (r *run) newcomersLike(ctx context.Context, a *absence, side record.Side) ([]record.Ref, error) {
	left := a.pair.Sides[side.Other()]
	var refs []record.Ref
	add := func(ref record.Ref) {
		if !slices.Contains(refs, ref) {
			refs = append(refs, ref)
		}
	}
	s := a.sides[side.Other()]
	keys := r.job.Mapping.Keys(side.Other(), s.Native, resolvedOnly(s.Now))
	if r.hides(side.Other(), left) {
		keys = nil // what is kept of it are digests: its keys are, too
	}
	found, err := r.Store.Matching(ctx, r.place(side), keys)
	if err != nil {
		return nil, fmt.Errorf("look for what was entered anew: %w", err)
	}
	for _, e := range found {
		if e.Link == 0 && e.State != record.Stranger {
			add(e.Ref)
		}
	}
	if !slices.ContainsFunc(keys, func(k record.Key) bool { return r.refers(k.Name) }) {
		return refs, nil
	}
	by, err := r.unlinkedBy(ctx, side)
	for _, k := range keys {
		for _, ref := range by[k] {
			add(ref)
		}
	}
	return refs, err
}

// unlinkedBy is the records of a side without a link, by those keys that name other records. They
// are read once a plan.
func (r *run) unlinkedBy(ctx context.Context, side record.Side) (map[record.Key][]record.Ref, error) {
	if r.book.unlinked[side] != nil {
		return r.book.unlinked[side], nil
	}
	all, err := r.candidates(ctx, side)
	if err != nil {
		return nil, err
	}
	by := map[record.Key][]record.Ref{}
	for _, c := range all {
		for _, k := range c.keys {
			if r.refers(k.Name) {
				by[k] = append(by[k], c.ref)
			}
		}
	}
	r.book.unlinked[side] = by
	return by, nil
}

// mayBeAnew notes of a record that is gone, and whose absence would be carried over, or is asked about,
// what may be the same, entered anew. What never changes has rules of its own: see replaced.go.
func (r *run) mayBeAnew(ctx context.Context, a *absence, x *plan.Existing) error {
	for _, side := range record.Sides {
		f := plan.Gone(*x)
		carries, asks := f.Deed == plan.Carry && f.Side == side.Other(), f.Deed == plan.Ask && f.Side == side
		if !carries && !asks || x.Sides[side].State != plan.Absent || r.side(side).Can.Immutable {
			continue
		}
		var err error
		if a.anew, err = r.newcomersLike(ctx, a, side); err != nil {
			return err
		}
		if asks {
			continue
		}
		asked := plan.Question(a.asked[RecordField].Policy) == plan.AskAnew // whatever became of the newcomer since: what they say is done
		x.Sides[side].Anew = asked || len(a.anew) > 0
	}
	return nil
}

// anewReason is what a person is asked about a record that may have been entered anew.
func (r *run) anewReason(a *absence) string {
	return fmt.Sprintf("%s does not have it any more, and has %s, which agrees with it by a match rule and has no partner: is it the same, entered anew? --create has the two joined, --delete lets the old one go",
		r.side(a.fate.Side).System, a.newcomers())
}

// besideAnew is what a person who is asked something else about a record that is gone is told of what may
// be the same: nothing is asked about that one meanwhile.
func (r *run) besideAnew(a *absence) string {
	return fmt.Sprintf("; %s has %s, which agrees with it by a match rule and has no partner: --create has the two joined", r.side(a.fate.Side).System, a.newcomers())
}

func (a *absence) newcomers() string {
	ids := make([]string, len(a.anew))
	for i, ref := range a.anew {
		ids[i] = ref.String()
	}
	return strings.Join(ids, ", ")
}
