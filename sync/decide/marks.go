package decide

import (
	"context"
	"fmt"
	"slices"
	"time"

	"nightporter/sync/match"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// planByMark joins the records without a link that carry the same mark on both sides. It returns the ones that are
// still to be matched.
func (r *Room) planByMark(ctx context.Context, d *run.Draft, strangers [2][]run.Candidate, wanted *run.ToRead) ([2][]run.Candidate, error) {
	by := r.marked(strangers)
	joined, err := r.joinMarked(ctx, d, by, wanted)
	if err != nil {
		return strangers, err
	}
	for _, side := range record.Sides {
		if err := r.noteOrphans(ctx, side, by[side], joined); err != nil {
			return strangers, err
		}
	}
	if len(joined) > 0 {
		for _, side := range record.Sides {
			strangers[side] = slices.DeleteFunc(slices.Clone(strangers[side]), func(c run.Candidate) bool { return joined[c.Num] })
		}
	}
	return strangers, nil
}

// marked returns the records without a link that carry a mark of ours, by mark.
func (r *Room) marked(strangers [2][]run.Candidate) (by [2]map[string][]run.Candidate) {
	for _, side := range record.Sides {
		by[side] = map[string][]run.Candidate{}
		for _, c := range strangers[side] {
			if r.match.EntityOfMark(c.Mark) != "" {
				by[side][c.Mark] = append(by[side][c.Mark], c)
			}
		}
	}
	return by
}

// joinMarked joins two records with the same mark, if each side has exactly one. It returns which records were
// looked at, by number, and whether they are joined.
func (r *Room) joinMarked(ctx context.Context, d *run.Draft, by [2]map[string][]run.Candidate, wanted *run.ToRead) (map[int64]bool, error) {
	joined := map[int64]bool{}
	for mark, left := range by[record.Left] {
		right := by[record.Right][mark]
		if len(left) != 1 || len(right) != 1 || r.inDoubt(d, record.Left, left[0]) || r.inDoubt(d, record.Right, right[0]) {
			continue
		}
		if wanted != nil && wanted.Ref != left[0].Ref && wanted.Ref != right[0].Ref {
			continue
		}
		ok, err := r.planMarked(ctx, d, mark, left[0].Ref, right[0].Ref)
		if err != nil {
			return nil, err
		}
		joined[left[0].Num], joined[right[0].Num] = ok, ok
	}
	return joined, nil
}

// noteOrphans notes when the newest orphan of a side was first seen. An orphan carries our mark, and nothing is
// known of what it was made from.
func (r *Room) noteOrphans(ctx context.Context, side record.Side, by map[string][]run.Candidate, joined map[int64]bool) error {
	r.match.Orphaned[side] = time.Time{}
	for _, cs := range by {
		for _, c := range cs {
			if orphan, err := r.match.Orphan(ctx, side, c); err != nil {
				return err
			} else if orphan && !joined[c.Num] && c.Since.After(r.match.Orphaned[side]) {
				r.match.Orphaned[side] = c.Since
			}
		}
	}
	return nil
}

// planMarked joins two records with the same mark. It returns false if a link has the mark already, or if one of
// the two can't be linked any more.
func (r *Room) planMarked(ctx context.Context, d *run.Draft, mark string, left, right record.Ref) (bool, error) {
	entity := r.match.EntityOfMark(mark)
	if _, taken, err := r.store.ByEntity(ctx, r.Job.Binding, entity); err != nil || taken {
		return false, err
	}
	var sides [2]run.SeenSide
	for side, ref := range [2]record.Ref{left, right} {
		var ok bool
		var err error
		if sides[side], ok, err = r.match.Unlinked(ctx, record.Side(side), ref); err != nil || !ok {
			return false, err
		}
	}
	return true, r.addJoin(ctx, d, entity, sides)
}

// aloneWithMark says why a record with our mark and without a partner is not made on the other side, "" if nothing
// speaks against it. It was made from some record there: made anew, that would be there twice.
func (r *Room) aloneWithMark(ctx context.Context, d *run.Draft, side record.Side, c run.Candidate) (because run.Cause, why string, err error) {
	entity := r.match.EntityOfMark(c.Mark)
	if entity == "" {
		return "", "", nil
	}
	pair, known, err := r.store.ByEntity(ctx, r.Job.Binding, entity)
	if err != nil {
		return "", "", err
	}
	if known && pair.Sides[side].Ref != c.Ref {
		why, err := r.match.Duplicate(ctx, side, c, pair.Sides[side].Ref)
		return run.OurMarked, why, err
	}
	if !known {
		if orphan, err := r.match.Orphan(ctx, side, c); err != nil {
			return "", "", err
		} else if orphan {
			return run.UnknownMark, fmt.Sprintf("it carries %s, %s, and nothing is known of what it was made from: say which record of %s it is",
				match.OurMark, c.Mark, r.Side(side.Other()).System), nil
		}
	}
	made, ok, err := r.store.Stamped(ctx, r.Place(side), c.Mark)
	if err != nil || !ok {
		return "", "", err
	}
	why, err = r.cameLate(ctx, d, side, c, made)
	return run.OurMarked, why, err
}

// cameLate deals with a record that a create made, although the create was thought not to have arrived. If nothing
// was made in its place, the record is what was wanted, and is joined. If something was, there are two now: it
// returns why the record is held.
func (r *Room) cameLate(ctx context.Context, d *run.Draft, side record.Side, c run.Candidate, made record.Intent) (string, error) {
	if made.State == record.Settled { // the create arrived and was linked: it did not come late, whoever ended that link since
		return "", nil
	}
	known, err := r.store.Entries(ctx, []int64{made.From})
	if err != nil {
		return "", err
	}
	from, ok := known[made.From]
	switch {
	case !ok:
		return "it was made from a record that is not known any more", nil
	case from.Link != 0:
		pair, ok, err := r.store.Pair(ctx, from.Link)
		if err != nil || !ok {
			return "", err
		}
		return r.match.Duplicate(ctx, side, c, pair.Sides[side].Ref)
	case r.match.Open[from.Num]:
		return "it may be what an unanswered change made", nil
	}
	refs := [2]record.Ref{}
	refs[side], refs[side.Other()] = c.Ref, from.Ref
	done, err := r.planMarked(ctx, d, c.Mark, refs[record.Left], refs[record.Right])
	if err != nil || done {
		return "", err
	}
	return "it was made from a record that is linked to another now", nil
}
