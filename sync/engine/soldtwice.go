package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"nightporter/connectors"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// askAgain asks once more, at the end, for the rooms of bookings entered lately.
func (r *run) askAgain(ctx context.Context) error {
	b := r.job.Booking
	if b == nil || !b.Asks {
		return nil
	}
	if err := r.letSell(ctx); err != nil {
		return err
	}
	since, err := r.askedUntil(ctx)
	if err != nil {
		return err
	}
	made, err := r.Store.Created(ctx, r.place(b.Authority), since)
	if err != nil {
		return err
	}
	for _, in := range made {
		if err := r.askOnce(ctx, in.Link); err != nil {
			return err
		}
	}
	return nil
}

// letSell lets askAfter pass since the last booking was entered: so long may the desk be
// about to sell the same room. What can't wait is done meanwhile, and a booking that is
// entered so is waited for as well, up to sellMost in all.
func (r *run) letSell(ctx context.Context) error {
	for begun, last := time.Now(), (time.Time{}); r.entered != last && time.Since(begun) < sellMost; {
		last = r.entered
		step := askAfter
		if r.opt.Kicked != nil {
			step = sellLook
		}
		for left := time.Until(last.Add(askAfter)); left > 0; left -= step {
			if err := r.letPass(ctx, min(left, step)); err != nil {
				return err
			}
			if err := r.between(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// askedUntil is from when on bookings may not have been asked for again: since the
// last run that came to its end, which asked for all there was. One that was entered
// right before a crash is asked for however long nobody ran since; one that was asked
// for is left alone, for what the desk does with its rooms later is its own affair.
func (r *run) askedUntil(ctx context.Context) (time.Time, error) {
	since := time.Now().Add(-askFor)
	for n := 20; ; n *= 10 {
		runs, err := r.Store.Runs(ctx, r.job.Binding, n)
		if err != nil {
			return since, err
		}
		for _, run := range runs {
			if run.ID == r.lease.Run || run.Dry {
				continue
			}
			if run.Outcome == record.Done || run.Outcome == record.Waits {
				return earlier(since, run.Ended), nil
			}
			since = earlier(since, run.Started)
		}
		if len(runs) < n {
			return since, nil
		}
	}
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// askOnce asks whether the room of a booking that we entered is still its own. If
// not, the desk sold it in the same moment: our booking gives way, the platform is
// told, and so is the desk.
func (r *run) askOnce(ctx context.Context, link record.LinkID) error {
	b := r.job.Booking
	asker, ok := r.side(b.Authority).Conn.(connectors.Asker)
	if !ok {
		return nil
	}
	pair, ok, err := r.Store.Pair(ctx, link)
	if err != nil || !ok {
		return err
	}
	s, err := r.sideOf(ctx, b.Authority, pair.Sides[b.Authority])
	if err != nil || slices.Contains(b.Dead, s.Now[b.Status].Text()) {
		return err
	}
	free, err := asker.Accepts(ctx, s.Ref, s.Native, "np:"+r.Install+":"+pair.Entity)
	if err != nil || free {
		return err
	}
	return r.giveWay(ctx, pair, s)
}

// giveWay takes back a booking whose room was sold twice. The pair is marked first:
// killed in between, the next run tells the other side what became of it.
func (r *run) giveWay(ctx context.Context, pair record.Pair, s seenSide) error {
	b := r.job.Booking
	if !r.canRefuse(b.Authority) { // there is no word for it: the desk decides
		return r.tellSoldTwice(ctx, s, "gives way and its guest must be called")
	}
	a, err := r.statusAction(b.Authority, s.Side, pair.Link, b.Refused, "its room was sold twice")
	if err != nil {
		return err
	}
	if err := r.Store.Touch(ctx, r.lease, []int64{pair.Sides[0].Num, pair.Sides[1].Num}); err != nil {
		return err
	}
	if err := r.needBook(ctx); err != nil || r.rejectedTell(a) {
		return err
	}
	may := false
	if !r.book.waitsFor(a) { // held already, it goes with a whole plan
		if may, err = r.mayTell(ctx, a); err != nil {
			return err
		}
	}
	if !may {
		return r.tellSoldTwice(ctx, s, "waits for a person to say that it gives way (nightporter staged), and its guest must be called then")
	}
	if err := r.tellSoldTwice(ctx, s, "gives way and its guest must be called"); err != nil {
		return err
	}
	if ok, _, err := r.act(ctx, a); err != nil || !ok {
		return err
	}
	side := b.Authority.Other()
	if !r.canRefuse(side) {
		return nil
	}
	one, err := r.sideOf(ctx, side, pair.Sides[side])
	if err != nil {
		return err
	}
	if a, err = r.statusAction(side, one.Side, pair.Link, b.Refused, "its room was sold twice"); err != nil {
		return err
	}
	if may, err := r.mayTell(ctx, a); err != nil || !may {
		return err
	}
	if ok, _, err := r.act(ctx, a); err != nil || !ok {
		return err
	}
	return r.Store.Adopt(ctx, r.lease, pair.Link, [2]record.Fields{}, time.Now())
}

// tellSoldTwice alerts, once, that a room was sold twice, and what becomes of our booking.
func (r *run) tellSoldTwice(ctx context.Context, s seenSide, becomes string) error {
	known, err := r.Store.Alerted(ctx, r.job.Binding, s.Entry, "booking_oversold")
	if err != nil || known {
		return err
	}
	return r.alert(ctx, s.Entry, "booking_oversold", fmt.Sprintf("%s was sold twice in the same moment: the booking that came from %s %s",
		s.Ref, r.side(r.job.Booking.Authority.Other()).System, becomes))
}

// stillGivesWay plans a booking to give way that a guard held when its room was found to be
// sold twice: as part of the plan it waits with its set, and goes with a yes. Its room is asked
// for once more; where that is free now nothing is planned, and the question ends.
func (r *run) stillGivesWay(ctx context.Context, p record.Pair, c plan.Case, v *plan.Verdict) error {
	b := r.job.Booking
	if b == nil || len(v.Actions) > 0 || p.State != record.LinkLive || !r.canRefuse(b.Authority) {
		return nil
	}
	s := c.Sides[b.Authority]
	asker, is := r.side(b.Authority).Conn.(connectors.Asker)
	if !is || slices.Contains(b.Dead, s.Now[b.Status].Text()) {
		return nil
	}
	a, err := r.statusAction(b.Authority, s, p.Link, b.Refused, "its room was sold twice")
	if err != nil || !r.book.waitsFor(a) && !r.approves(a) && !r.book.lapsed[a.Digest()] {
		return err
	}
	free, err := asker.Accepts(ctx, s.Ref, s.Native, "np:"+r.Install+":"+p.Entity)
	if err != nil || free {
		return err
	}
	v.Actions = []plan.Action{a}
	return nil
}

// gaveWay has the other side told of a booking that gave way on the side with authority, as
// that was planned: both look as they were settled, so that it is marked.
func (r *run) gaveWay(ctx context.Context, a plan.Action) ([]toRead, error) {
	b := r.job.Booking
	tells := func(f record.FieldReason) bool { return f.Field == b.Status && f.After.Text() == b.Refused }
	if b == nil || b.Refused == "" || a.Link == 0 || a.Side != b.Authority || !slices.ContainsFunc(a.Fields, tells) {
		return nil, nil
	}
	pair, ok, err := r.Store.Pair(ctx, a.Link)
	if err != nil || !ok {
		return nil, err
	}
	other := pair.Sides[b.Authority.Other()]
	return []toRead{{side: other.Place.Side, ref: other.Ref}}, r.Store.Touch(ctx, r.lease, []int64{pair.Sides[0].Num, pair.Sides[1].Num})
}

// tellDead finishes what giveWay began: the side with authority no longer has the
// booking, the other was not told, and both look as they were last settled. Only a
// link that is marked is looked at: a standing difference is nothing new.
func (r *run) tellDead(p record.Pair, c plan.Case, v *plan.Verdict) error {
	b := r.job.Booking
	if b == nil || len(v.Actions) > 0 || !p.Sides[0].Dirty && !p.Sides[1].Dirty || !r.canRefuse(b.Authority.Other()) {
		return nil
	}
	auth, other := c.Sides[b.Authority], c.Sides[b.Authority.Other()]
	dead := slices.Contains(b.Dead, auth.Now[b.Status].Text())
	if !dead || auth.Seen || other.Seen || slices.Contains(b.Dead, other.Now[b.Status].Text()) {
		return nil
	}
	why := fmt.Sprintf("it is %s in %s already", auth.Now[b.Status].Text(), r.side(b.Authority).System) // given way, or by the desk
	a, err := r.statusAction(b.Authority.Other(), other, p.Link, b.Refused, why)
	if err != nil {
		return err
	}
	v.Actions, v.Adopt = []plan.Action{a}, [2]record.Fields{}
	return nil
}
