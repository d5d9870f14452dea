package proof

import (
	"context"
	"fmt"

	"nightporter/sync/match"
	"nightporter/sync/plan"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// MayBeForgotten says that a side has records that may be what a create would make: they may have been made before
// the state was put back, and the state forgot that. about names them. It returns "" for none.
func (r *Room) MayBeForgotten(ctx context.Context, d *run.Draft, s run.Stranger, a plan.Action) (why string, about []string, err error) {
	f := &r.forgets
	if !f.Asked {
		if f.From, f.Until, err = r.store.PutBack(ctx, r.Job.Binding); err != nil {
			return "", nil, err
		}
		f.Asked = true
	}
	if !f.Within(s.Brief.Since) || r.Once(a.Side) {
		return "", nil, nil
	}
	es, err := r.forgotten(ctx, a.Side)
	if err != nil {
		return "", nil, err
	}
	for _, e := range es {
		if d.Joined(a.Side, e.Num) {
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
	return fmt.Sprintf("the state was put back, and %s of %s may be it: say which, or that it is new", which, r.Side(a.Side).System), about, nil
}

// forgotten returns the records of a side without a link that the first lists after the state was put back showed,
// and that were not seen to go.
func (r *Room) forgotten(ctx context.Context, side record.Side) ([]record.Entry, error) {
	if known := r.forgets.Across[side]; known != nil {
		return *known, nil
	}
	es, err := r.store.UnlinkedSince(ctx, r.Place(side), r.forgets.From)
	if err != nil {
		return nil, err
	}
	out := []record.Entry{}
	for _, e := range es {
		if !match.Departed(e) && r.forgets.Within(e.Since) && e.Seen != nil {
			out = append(out, e)
		}
	}
	r.forgets.Across[side] = &out
	return out, nil
}

// mayBeOf reports whether a record may be what was made of another one before that was forgotten. If both name
// known records, these must be the same, and no more is asked. If one names a known record and the other somebody
// unknown, it may not. Otherwise it must hold half of what would be written.
func (r *Room) mayBeOf(ctx context.Context, side record.Side, s run.Stranger, a plan.Action, e record.Entry) (bool, error) {
	if len(r.Job.References) == 0 {
		return r.match.Mostly(side, a.Change.Fields, e.Last()), nil
	}
	one, err := r.refer.SideOf(ctx, side, e)
	if err != nil {
		return false, err
	}
	for _, ref := range r.Job.References {
		is, was := one.Now[ref.Field], s.Now[ref.Field]
		switch known := func(v record.Value) bool { return v.Observed() && !run.IsMarker(v) }; {
		case known(is) && known(was):
			return is.Equal(was), nil
		case known(is) != known(was) && is.Observed() && was.Observed():
			return false, nil
		}
	}
	return r.match.Mostly(side, a.Change.Fields, e.Last()), nil
}
