package engine

import (
	"context"
	"fmt"
	"maps"

	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// Rereads keeps how fields were read.
type Rereads interface {
	// ReadAs is how fields were read last, by side; nil for nothing known.
	ReadAs(ctx context.Context, b record.Binding) (map[string][2]string, error)
	// Rereads is the fields that are read in another way than when they were agreed to.
	Rereads(ctx context.Context, b record.Binding) (map[string]record.Reread, error)
	// MeetAnew takes paths out of the bases of all links, and keeps how fields are read now, and
	// which are read in another way than when they were agreed to.
	MeetAnew(ctx context.Context, l record.Lease, anew [2][]record.Anew, read map[string][2]string, fields map[string]record.Reread) error
}

// meetAnew has linked records meet once more in the fields that are read in another way than
// before: a column that was read already, for another field or at another time, is in the base
// with what it holds, and says nothing of what was settled. A dry run only looks as if.
func (r *run) meetAnew(ctx context.Context) error {
	now := r.job.Mapping.ReadPrints()
	was, err := r.Store.ReadAs(ctx, r.job.Binding)
	if err != nil {
		return err
	}
	if r.rereads, err = r.Store.Rereads(ctx, r.job.Binding); err != nil || maps.Equal(was, now) {
		return err
	}
	fields, mended := plan.Reread(r.job.Mapping, was, now, r.rereads)
	anew := plan.AnewOf(plan.Anew(r.job.Mapping, was, now), mended)
	r.rereads = fields
	if r.opt.Dry {
		r.anew = anew
		return nil
	}
	if err := r.Store.MeetAnew(ctx, r.lease, anew, now, fields); err != nil {
		return fmt.Errorf("have fields of %s that are read in another way decided anew: %w", r.job.Binding, err)
	}
	return nil
}

// anewHere reports whether this run looks as if linked records were to meet anew.
func (r *run) anewHere() bool { return len(r.anew[record.Left])+len(r.anew[record.Right]) > 0 }

// toDecide is at most n links after one, those that are to be looked at among them.
func (r *run) toDecide(ctx context.Context, after record.LinkID, n int) ([]record.Pair, error) {
	if r.anewHere() {
		return r.Store.Pairs(ctx, r.job.Binding, after, n)
	}
	return r.Store.Dirty(ctx, r.job.Binding, after, n)
}

// leavesOut reports whether a link is not to be looked at, though toDecide gave it.
func (r *run) leavesOut(p record.Pair) bool {
	marked := p.Sides[record.Left].Dirty || p.Sides[record.Right].Dirty
	remembered := p.State == record.LinkParted || p.State == record.LinkGone
	return r.anewHere() && (p.State == record.LinkUnsure || remembered && !marked)
}

// asAnew is a link as it is once its records are to meet anew.
func (r *run) asAnew(p record.Pair) record.Pair {
	for side := range p.Sides {
		if e := &p.Sides[side]; len(r.anew[side]) > 0 && e.Base != nil {
			e.Forget(e.Anew(r.anew[side]))
		}
	}
	return p
}
