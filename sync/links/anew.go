package links

import (
	"context"
	"fmt"
	"maps"

	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// MeetAnew lets linked records meet once more in the fields that are read in another way than before: the paths of
// these fields leave the bases. A column may be in a base already, because it was read for another field or at
// another time. What the base has there says nothing of what was settled in this field. A dry run stores nothing,
// and decides as if it had.
func (r *Room) MeetAnew(ctx context.Context) error {
	now := r.Job.Mapping.ReadPrints()
	was, err := r.store.ReadAs(ctx, r.Job.Binding)
	if err != nil {
		return err
	}
	if r.guards.Rereads, err = r.store.Rereads(ctx, r.Job.Binding); err != nil || maps.Equal(was, now) {
		return err
	}
	fields, mended := plan.Reread(r.Job.Mapping, was, now, r.guards.Rereads)
	anew := plan.AnewOf(plan.Anew(r.Job.Mapping, was, now), mended)
	r.guards.Rereads = fields
	if r.Options.Dry {
		r.anew = anew
		return nil
	}
	if err := r.store.MeetAnew(ctx, r.Lease, anew, now, fields); err != nil {
		return fmt.Errorf("have fields of %s that are read in another way decided anew: %w", r.Job.Binding, err)
	}
	return nil
}

// anewHere reports whether this is a dry run that decides as if linked records were to meet anew.
func (r *Room) anewHere() bool { return len(r.anew[record.Left])+len(r.anew[record.Right]) > 0 }

// ToDecide returns at most n links after one, with those that are to be looked at among them.
func (r *Room) ToDecide(ctx context.Context, after record.LinkID, n int) ([]record.Pair, error) {
	if r.anewHere() {
		return r.store.Pairs(ctx, r.Job.Binding, after, n)
	}
	return r.store.Dirty(ctx, r.Job.Binding, after, n)
}

// LeavesOut reports whether a link is not to be looked at, though ToDecide returned it.
func (r *Room) LeavesOut(p record.Pair) bool {
	marked := p.Sides[record.Left].Dirty || p.Sides[record.Right].Dirty
	remembered := p.State == record.LinkParted || p.State == record.LinkGone
	return r.anewHere() && (p.State == record.LinkUnsure || remembered && !marked)
}

// AsAnew returns a link as it is once its records are to meet anew. In any other run the link stays as it is.
func (r *Room) AsAnew(p record.Pair) record.Pair {
	for side := range p.Sides {
		if e := &p.Sides[side]; len(r.anew[side]) > 0 && e.Base != nil {
			e.Forget(e.Anew(r.anew[side]))
		}
	}
	return p
}

// blockUnread blocks the fields that are read in another way than before, if a record was last read in the old
// way. A hint may have a record decided before any list was read in the new way. The values of the record across
// are then those of the old reading: a person would be asked by them, and what the new reading shows later would
// count as an edit since they were asked.
func (r *Room) blockUnread(p record.Pair, c *plan.Case) {
	for _, side := range record.Sides {
		if was := p.Sides[side].Mapping; was == "" || was == r.Job.Mapping.Fingerprint(side) {
			continue
		}
		for field := range r.guards.Rereads {
			c.Blocked[field] = "it is read in another way than before, and the record of " + string(r.Side(side).System) + " was not read since"
			for _, s := range record.Sides {
				delete(c.Sides[s].Now, field)
			}
		}
	}
}
