package decide

import (
	"context"
	"fmt"
	"slices"
	"time"

	"nightporter/connectors"
	"nightporter/sync/plan"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// arriving returns a case with the record as it is entered on the side with authority: if no condition decides
// there, a booking arrives as pending, and the desk says yes or no. A booking that is made again there is entered
// with the status that it had there: the desk has said yes or no to it already.
func (r *Room) arriving(ctx context.Context, n *arrival) (plan.Case, error) {
	c, from := n.c, n.side
	if !r.ArrivesPending(from.Other()) {
		return c, nil
	}
	status, had, err := r.statusThere(ctx, n)
	if err != nil {
		return c, err
	}
	b := r.Job.Booking
	if !had {
		status = record.OfText(b.Pending)
	}
	now := c.Sides[from].Now.Clone()
	now[b.Status] = status
	c.Sides[from].Now = now
	return c, nil
}

// statusThere returns the status that a booking had across until its record there was gone; false if it never was
// there, if nothing is known of its status, or if the booking took no room there any more.
func (r *Room) statusThere(ctx context.Context, n *arrival) (record.Value, bool, error) {
	num, err := r.store.GoneAcross(ctx, n.s.Entry)
	if err != nil || num == 0 {
		return record.Value{}, false, err
	}
	es, err := r.store.Entries(ctx, []int64{num})
	if err != nil {
		return record.Value{}, false, fmt.Errorf("look what %s was across: %w", n.s.Ref, err)
	}
	b, gone := r.Job.Booking, es[num]
	canonical, _ := r.Job.Mapping.Read(n.side.Other(), gone.Last())
	status := canonical[b.Status]
	return status, status.Observed() && !status.Empty() && !slices.Contains(b.Dead, status.Text()), nil
}

// bookingParked says how a new booking is put aside instead of being entered. It returns false for one
// that may be entered.
func (r *Room) bookingParked(side record.Side, s run.Stranger) (run.Park, bool) {
	b := r.Job.Booking
	if b == nil {
		return run.Park{}, false
	}
	if r.Outside(side, s.Native) { // a side that can't be asked by days lists all its bookings
		return run.Park{Side: side, Entry: s.Brief, State: record.Waiting, Why: "its days are outside of the window"}, true
	}
	if slices.Contains(b.Dead, s.Now[b.Status].Text()) {
		return run.Park{Side: side, Entry: s.Brief, State: record.LeftOut, Why: "it was " + s.Now[b.Status].Text() + " before the other side had it"}, true
	}
	today := r.Now.In(r.Job.Zone).Format(time.DateOnly)
	if first := s.Now[b.First].Text(); side != b.Authority && first != "" && first < today {
		return run.Park{Side: side, Entry: s.Brief, State: record.Held, Why: "its arrival has passed: a person says whether it is entered"}, true
	}
	return run.Park{}, false
}

// toBeTold reports whether a side is told that the other side refused its new record: a booking
// there was no room for.
func (r *Room) toBeTold(side record.Side, class connectors.ErrorClass) bool {
	b := r.Job.Booking
	return b != nil && side != b.Authority && class == connectors.Refused && r.CanRefuse(side)
}

// askedAnew reports whether a booking stands again after its side was told no, and took the no. Somebody put it
// back, and a room may have become free.
func (r *Room) askedAnew(s run.Stranger) bool {
	b := r.Job.Booking
	if b == nil || s.Now[b.Status].Text() == b.Refused {
		return false
	}
	told := s.Settled[b.Status]
	return told.Known() && told.Same(nil, record.OfText(b.Refused))
}

// objectTold has a side told that its own booking was refused. A booking that shows the no already is put aside.
func (r *Room) objectTold(n *arrival) (outcome, error) {
	b := r.Job.Booking
	if n.s.Now[b.Status].Text() == b.Refused {
		return n.leaves(record.Refused, "there was no room for it, and the platform was told"), nil
	}
	a, err := r.StatusAction(n.side, n.s.Side, 0, b.Refused, "there is no room for it")
	if err != nil {
		return outcome{}, err
	}
	out := outcome{told: true}
	if no := r.guards.RejectedAlone(a); no != "" { // its guest has no answer yet: every run looks at it
		out = n.leaves(record.Waiting, "there is no room for it, and "+string(r.Side(n.side).System)+" is not told: "+no)
	} else if kept, _ := r.guards.Unrefused([]plan.Action{a}); len(kept) > 0 {
		n.d.News = append(n.d.News, a)
	}
	n.d.Told = append(n.d.Told, run.ToRead{Side: n.side, Ref: n.s.Ref})
	return out, nil
}

// TellRefusals tells the desk about refused bookings, if it was not told yet because a run died before that.
func (r *Room) TellRefusals(ctx context.Context, told []run.ToRead) error {
	for _, t := range told {
		e, ok, err := r.store.Entry(ctx, r.Place(t.Side), t.Ref)
		if err != nil {
			return err
		}
		known, err := r.store.Alerted(ctx, r.Job.Binding, e.Num, "booking_refused")
		if err != nil {
			return err
		}
		if !ok || known {
			continue
		}
		if err := r.Alert(ctx, e.Num, "booking_refused", fmt.Sprintf(
			"%s of %s was refused by %s", t.Ref, r.Side(t.Side).System, r.Side(t.Side.Other()).System)); err != nil {
			return err
		}
	}
	return nil
}
