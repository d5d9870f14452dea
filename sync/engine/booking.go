package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"nightporter/connectors"
	"nightporter/sync/apply"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

const (
	// askAfter is how long after a booking was entered its room is asked for once
	// more: a sale that was on its way in the same second is visible by then.
	askAfter = time.Second
	// sellLook is how often what can't wait is looked for in that second, and sellMost how
	// long a run goes on so while more bookings are entered.
	sellLook = 50 * time.Millisecond
	sellMost = 10 * time.Second
)

// askFor is how far back bookings are asked for again at least.
const askFor = 2 * time.Minute

// arriving is a case as it is entered on the side that has authority: where no
// condition decides, a booking arrives as pending and the desk says yes or no.
func (r *run) arriving(c plan.Case, from record.Side) plan.Case {
	if !r.arrivesPending(from.Other()) {
		return c
	}
	b := r.job.Booking
	now := c.Sides[from].Now.Clone()
	now[b.Status] = record.OfText(b.Pending)
	c.Sides[from].Now = now
	return c
}

// arrivesPending reports whether a booking that is entered on a side arrives there as pending.
func (r *run) arrivesPending(side record.Side) bool {
	b := r.job.Booking
	return b != nil && !b.Asks && b.Pending != "" && side == b.Authority
}

// bookingParked says which new bookings are not entered.
func (r *run) bookingParked(side record.Side, s stranger) (park, bool) {
	b := r.job.Booking
	if b == nil {
		return park{}, false
	}
	if r.outside(side, s.Native) { // a side that can't be asked by days lists them all
		return park{side, s.brief, record.Waiting, "its days are outside of the window"}, true
	}
	if slices.Contains(b.Dead, s.Now[b.Status].Text()) {
		return park{side, s.brief, record.LeftOut, "it was " + s.Now[b.Status].Text() + " before the other side had it"}, true
	}
	today := r.now.In(r.job.Zone).Format(time.DateOnly)
	if first := s.Now[b.First].Text(); side != b.Authority && first != "" && first < today {
		return park{side, s.brief, record.Held, "its arrival has passed: a person says whether it is entered"}, true
	}
	return park{}, false
}

// toBeTold reports whether a no to a new record of a side is told to that side.
func (r *run) toBeTold(side record.Side, class connectors.ErrorClass) bool {
	b := r.job.Booking
	return b != nil && side != b.Authority && class == connectors.Refused && r.canRefuse(side)
}

// canRefuse reports whether a side has a word for a booking that was refused.
func (r *run) canRefuse(side record.Side) bool {
	b := r.job.Booking
	if b == nil || b.Refused == "" {
		return false
	}
	_, problems := r.job.Mapping.Write(side, record.Fields{b.Status: record.OfText(b.Refused)}, nil)
	return len(problems) == 0
}

// askedAnew reports whether a booking stands again whose side was told no, and took
// it: somebody put it back, and a room may have become free.
func (r *run) askedAnew(s stranger) bool {
	b := r.job.Booking
	if b == nil || s.Now[b.Status].Text() == b.Refused {
		return false
	}
	told := s.Settled[b.Status]
	return told.Known() && told.Same(nil, record.OfText(b.Refused))
}

// objectTold has a side told no about a booking of its own.
func (r *run) objectTold(n *arrival) (outcome, error) {
	b := r.job.Booking
	if n.s.Now[b.Status].Text() == b.Refused {
		return n.leaves(record.Refused, "there was no room for it, and the platform was told"), nil
	}
	a, err := r.statusAction(n.side, n.s.Side, 0, b.Refused, "there is no room for it")
	if err != nil {
		return outcome{}, err
	}
	out := outcome{told: true}
	if no := r.rejectedAlone(a); no != "" { // its guest has no answer yet: it is looked at by every run
		out = n.leaves(record.Waiting, "there is no room for it, and "+string(r.side(n.side).System)+" is not told: "+no)
	} else if kept, _ := r.unrefused([]plan.Action{a}); len(kept) > 0 {
		n.d.news = append(n.d.news, a)
	}
	n.d.told = append(n.d.told, toRead{side: n.side, ref: n.s.Ref})
	return out, nil
}

// tellRefusals tells the desk about bookings that were refused, if a run that died
// did not come so far.
func (r *run) tellRefusals(ctx context.Context, told []toRead) error {
	for _, t := range told {
		e, ok, err := r.Store.Entry(ctx, r.place(t.side), t.ref)
		if err != nil {
			return err
		}
		known, err := r.Store.Alerted(ctx, r.job.Binding, e.Num, "booking_refused")
		if err != nil {
			return err
		}
		if !ok || known {
			continue
		}
		if err := r.alert(ctx, e.Num, "booking_refused", fmt.Sprintf(
			"%s of %s was refused by %s", t.ref, r.side(t.side).System, r.side(t.side.Other()).System)); err != nil {
			return err
		}
	}
	return nil
}

// statusAction is a change of a record's status alone.
func (r *run) statusAction(side record.Side, s plan.Side, link record.LinkID, word, why string) (plan.Action, error) {
	b, m := r.job.Booking, r.job.Mapping
	value := record.OfText(word)
	native, problems := m.Write(side, record.Fields{b.Status: value}, s.Native)
	if len(problems) > 0 {
		return plan.Action{}, fmt.Errorf("write status %s to %s: %s", word, r.side(side).System, problems[0].Text)
	}
	a := plan.Action{
		Side: side, Link: link, Source: s.Ref, Reason: why, Priority: r.job.Rules.Urgent + 1, Day: s.Now[b.First].Text(),
		Change: record.Change{Op: record.Update, Ref: s.Ref, Version: s.Version, Fields: native, Before: record.Fields{}},
		Fields: []record.FieldReason{{Field: b.Status, Policy: "rules", Before: s.Now[b.Status], After: value, Reason: why}},
	}
	if link == 0 {
		a.From = s.Entry
	}
	if r.side(side).Can.Status != "" {
		a.Change.Op = record.Action
	}
	for _, p := range m.Inputs(side, b.Status) {
		a.Change.Before[p] = s.Native[p]
	}
	plan.SentAlong(r.job.Rules.Kinds[side], s, a.Change)
	a.Risk = plan.RiskOf(b.Status, a.Change, a.Fields)
	return a, nil
}

// tellRefused tells the side that took a booking that there is no room for it, and
// the desk that somebody must be called.
func (r *run) tellRefused(ctx context.Context, a plan.Action, from record.Side, cause error) error {
	err := r.alert(ctx, a.From, "booking_refused", fmt.Sprintf(
		"%s of %s was refused by %s: %v", a.Source, r.side(from).System, r.side(a.Side).System, cause))
	if err != nil {
		return err
	}
	e, ok, err := r.Store.Entry(ctx, r.place(from), a.Source)
	if err != nil || !ok {
		return err
	}
	s, err := r.sideOf(ctx, from, e)
	if err != nil {
		return err
	}
	tell, err := r.statusAction(from, s.Side, 0, r.job.Booking.Refused, "there is no room for it")
	if err != nil {
		return err
	}
	if may, err := r.mayTell(ctx, tell); err != nil || !may {
		return err
	}
	_, _, err = r.act(ctx, tell)
	return err
}

// mayTell reports whether a no may be sent now: a question that has come to be answered
// with no whatever it is about must not turn every guest away. What a person rejected is
// neither sent nor asked about again.
func (r *run) mayTell(ctx context.Context, tell plan.Action) (bool, error) {
	if err := r.needBook(ctx); err != nil || r.rejectedTell(tell) {
		return false, err
	}
	free, err := r.withhold(ctx, &draft{}, []plan.Action{tell})
	return len(free) > 0, err
}

// afterCreate does what a create calls for once it is settled.
func (r *run) afterCreate(ctx context.Context, a plan.Action, out apply.Outcome) error {
	b := r.job.Booking
	switch {
	case b == nil:
		return nil
	case a.Link == 0 && a.Change.Op != record.Create: // it was told no
		return r.Store.Park(ctx, r.lease, a.From, record.Refused, "there was no room for it, and the platform was told")
	case a.Change.Op != record.Create || a.Side != b.Authority || !b.Asks:
		return nil
	}
	r.entered = time.Now()
	return r.askOnce(ctx, out.Link)
}
