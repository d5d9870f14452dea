package engine

import (
	"context"
	"fmt"
	"strings"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// The lists of a side with a window show the bookings of some days alone. A booking that they don't
// show may be there, on other days: nothing is made on the word of such a list that may be there
// beyond it.

// bounded reports whether a booking may be moved to where the lists of a side show nothing.
func (r *run) bounded(side record.Side) bool {
	return r.job.Booking != nil && r.scope(side) != (connectors.Scope{})
}

// byDays reports whether what is asked for names a day of a booking. A booking that was moved is
// not found by it.
func (r *run) byDays(side record.Side, ask record.Fields) bool {
	b := r.job.Booking
	if b == nil {
		return false
	}
	for _, f := range []string{b.First, b.Last} {
		for _, p := range r.job.Mapping.Inputs(side, f) {
			if _, is := ask[p]; is {
				return true
			}
		}
	}
	return false
}

// beyond says that a side has records outside of what is read there, its window or its filter,
// that agree with a new one by a match rule. about names them.
func (r *run) beyond(ctx context.Context, d *draft, side record.Side, keys []record.Key) (why string, about []record.Ref, err error) {
	if some, err := r.anyUnlinked(ctx, d, side, record.OutOfScope); err != nil || !some {
		return "", nil, err
	}
	es, err := r.Store.Outside(ctx, r.place(side), keys)
	if err != nil || len(es) == 0 {
		return "", nil, err
	}
	names := make([]string, len(es))
	for i, e := range es {
		about, names[i] = append(about, e.Ref), e.Ref.String()
	}
	return fmt.Sprintf("%s of %s may be the same: it agrees by a match rule, and is outside of the days or the filter of the job",
		strings.Join(names, ", "), r.side(side).System), about, nil
}

// anyUnlinked reports whether a side has unlinked records in a state. It is asked once a plan.
func (r *run) anyUnlinked(ctx context.Context, d *draft, side record.Side, state record.EntryState) (bool, error) {
	if some, asked := d.unlinked[side][state]; asked {
		return some, nil
	}
	some, err := r.Store.AnyUnlinked(ctx, r.place(side), state)
	if err != nil {
		return false, err
	}
	if d.unlinked[side] == nil {
		d.unlinked[side] = map[record.EntryState]bool{}
	}
	d.unlinked[side][state] = some
	return some, nil
}
