package engine

import (
	"context"
	"fmt"
	"strings"

	"nightporter/connectors"
	"nightporter/sync/plan"
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

// beyondFilter reports whether a create without an answer may have made a record that is outside of
// the filter of its side. One that bears our mark is it: it is named, and linked once it is inside. If
// one holds a key of what was sent, a person is asked. If there is any other, a person is asked after an
// hour: a user may have changed the key.
func (r *run) beyondFilter(ctx context.Context, in record.Intent) (bool, error) {
	side := in.Place.Side
	b, is := r.side(side).Conn.(connectors.Beyonder)
	if !r.side(side).Can.Filtered || !is {
		return false, nil
	}
	if held, err := r.held(ctx, side); err != nil || held {
		return true, err
	}
	if mark := r.side(side).Can.Stamp.Path; mark != "" && in.Change.Stamp != "" {
		there, err := r.isBeyond(ctx, side, b, record.Fields{mark: record.OfText(in.Change.Stamp)})
		if there {
			f := findingOf(record.FindUnseen, plan.Action{Side: side, From: in.From, Change: in.Change})
			f.Text = "the answer to a create was lost, and what it made is outside of the filter: it is linked once it is inside"
			r.noteStanding(f)
		}
		return there, err
	}
	for _, rule := range r.job.Match {
		by := r.alikeAt(side, rule)
		ask := pick(in.Change.Fields, by)
		if len(by) == 0 || len(ask) != len(by) {
			continue
		}
		if there, err := r.isBeyond(ctx, side, b, ask); err != nil {
			return true, err
		} else if there {
			return true, r.lose(ctx, in, fmt.Sprintf("a record outside of the filter has the same %s", joinFields(rule)))
		}
	}
	some, err := r.isBeyond(ctx, side, b, nil)
	if err == nil && some && r.aged(in) {
		err = r.lose(ctx, in, "records outside of the filter are not read, and one of them may be what was made")
	}
	return some || err != nil, err
}

// isBeyond asks a side for a record outside of its filter.
func (r *run) isBeyond(ctx context.Context, side record.Side, b connectors.Beyonder, ask record.Fields) (bool, error) {
	r.count(side.String()+".finds", 1)
	there, err := b.Beyond(ctx, r.side(side).Kind, ask)
	if err != nil {
		return false, fmt.Errorf("look beyond the filter: %w", err)
	}
	return there, nil
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
