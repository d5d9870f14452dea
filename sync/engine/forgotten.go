package engine

import (
	"context"
	"fmt"
	"time"

	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// A state that was put back forgot what was made since the copy: one stands on each side, and no
// link says that they are the same. Where their keys still agree they are matched. Where one was
// moved since, or its system shows no key, each looks as if the other side lacked it. So nothing is
// made of a record that the first lists after that showed, while they also showed one across that
// may be it: a person is asked.

// forgets is when the first lists after the state was put back were read.
type forgets struct {
	asked       bool
	from, until time.Time
	across      [2]*[]record.Entry // what these lists showed of a side, and that has no link; nil: not asked
}

// within reports whether the first lists after the state was put back showed a record first.
func (f *forgets) within(since time.Time) bool {
	return !f.from.IsZero() && !since.Before(f.from) && (f.until.IsZero() || !since.After(f.until))
}

// mayBeForgotten says that a side has records of which one may be what a create would make, since
// the state forgot what was made of it. about names them.
func (r *run) mayBeForgotten(ctx context.Context, d *draft, s stranger, a plan.Action) (why string, about []string, err error) {
	f := &r.forgets
	if !f.asked {
		if f.from, f.until, err = r.Store.PutBack(ctx, r.job.Binding); err != nil {
			return "", nil, err
		}
		f.asked = true
	}
	if !f.within(s.brief.since) || r.once(a.Side) {
		return "", nil, nil
	}
	es, err := r.forgotten(ctx, a.Side)
	if err != nil {
		return "", nil, err
	}
	for _, e := range es {
		if d.joined(a.Side, e.Num) {
			continue
		}
		if may, err := r.mayBeOf(ctx, a.Side, s, a, e); err != nil {
			return "", nil, err
		} else if may {
			about = append(about, e.Ref.String())
		}
	}
	if len(about) == 0 {
		return "", nil, nil
	}
	which := about[0]
	if n := len(about) - 1; n > 0 {
		which = fmt.Sprintf("%s or one of %d others", which, n)
	}
	return fmt.Sprintf("the state was put back, and %s of %s may be it: say which, or that it is new", which, r.side(a.Side).System), about, nil
}

// forgotten is what the first lists of a side showed, and what has no link and was not seen to go.
func (r *run) forgotten(ctx context.Context, side record.Side) ([]record.Entry, error) {
	if known := r.forgets.across[side]; known != nil {
		return *known, nil
	}
	es, err := r.Store.UnlinkedSince(ctx, r.place(side), r.forgets.from)
	if err != nil {
		return nil, err
	}
	out := []record.Entry{}
	for _, e := range es {
		if !departed(e) && r.forgets.within(e.Since) && e.Seen != nil {
			out = append(out, e)
		}
	}
	r.forgets.across[side] = &out
	return out, nil
}

// mayBeOf reports whether a record may be what was made of another before that was forgotten: it
// names the same, or nobody who is known, and holds half of what would be written.
func (r *run) mayBeOf(ctx context.Context, side record.Side, s stranger, a plan.Action, e record.Entry) (bool, error) {
	if len(r.job.References) == 0 {
		return r.mostly(side, a.Change.Fields, e.Last()), nil
	}
	one, err := r.sideOf(ctx, side, e)
	if err != nil {
		return false, err
	}
	for _, ref := range r.job.References {
		is, was := one.Now[ref.Field], s.Now[ref.Field]
		switch known := func(v record.Value) bool { return v.Observed() && !isMarker(v) }; {
		case known(is) && known(was):
			return is.Equal(was), nil
		case known(is) != known(was) && is.Observed() && was.Observed():
			return false, nil
		}
	}
	return r.mostly(side, a.Change.Fields, e.Last()), nil
}
