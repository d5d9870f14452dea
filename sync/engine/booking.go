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
	// askFor is how far back bookings are asked for again at least.
	askFor = 2 * time.Minute
)

// arriving is a case as it is entered on the side that has authority: where no
// condition decides, a booking arrives as pending and the desk says yes or no.
func (r *run) arriving(c plan.Case, from record.Side) plan.Case {
	b := r.job.Booking
	if b == nil || b.Asks || b.Pending == "" || from.Other() != b.Authority {
		return c
	}
	now := c.Sides[from].Now.Clone()
	now[b.Status] = record.OfText(b.Pending)
	c.Sides[from].Now = now
	return c
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
	return b != nil && side != b.Authority && class == connectors.Refused && b.Refused != ""
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

// planTold plans that a side is told no about a booking of its own.
func (r *run) planTold(_ context.Context, d *draft, side record.Side, s stranger) error {
	b := r.job.Booking
	if s.Now[b.Status].Text() == b.Refused {
		d.parks = append(d.parks, park{side, s.brief, record.Refused, "there was no room for it, and the platform was told"})
		return nil
	}
	a, err := r.statusAction(side, s.Side, 0, b.Refused, "there is no room for it")
	if err != nil {
		return err
	}
	d.told = append(d.told, toRead{side: side, ref: s.Ref})
	if no := r.rejectedAlone(a); no != "" { // its guest has no answer yet: it is looked at by every run
		d.parks = append(d.parks, park{side, s.brief, record.Waiting, "there is no room for it, and " + string(r.side(side).System) + " is not told: " + no})
		return nil
	}
	if kept, _ := r.unrefused([]plan.Action{a}); len(kept) > 0 {
		d.news = append(d.news, a)
	}
	return nil
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

// askAgain asks once more, at the end, for the rooms of bookings entered lately.
func (r *run) askAgain(ctx context.Context) error {
	b := r.job.Booking
	if b == nil || !b.Asks {
		return nil
	}
	if !r.entered.IsZero() {
		if err := r.pause(ctx, time.Until(r.entered.Add(askAfter))); err != nil {
			return err
		}
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
	err := r.alert(ctx, s.Entry, "booking_oversold", fmt.Sprintf(
		"%s was sold twice in the same moment: the booking that came from %s gives way and its guest must be called",
		s.Ref, r.side(b.Authority.Other()).System))
	if err != nil {
		return err
	}
	if b.Refused == "" { // there is no word for it: the desk decides
		return nil
	}
	if err := r.Store.Touch(ctx, r.lease, []int64{pair.Sides[0].Num, pair.Sides[1].Num}); err != nil {
		return err
	}
	for _, side := range []record.Side{b.Authority, b.Authority.Other()} {
		one, err := r.sideOf(ctx, side, pair.Sides[side])
		if err != nil {
			return err
		}
		a, err := r.statusAction(side, one.Side, pair.Link, b.Refused, "its room was sold twice")
		if err != nil {
			return err
		}
		if may, err := r.mayTell(ctx, a); err != nil || !may {
			return err
		}
		if ok, _, err := r.act(ctx, a); err != nil || !ok {
			return err
		}
	}
	return r.Store.Adopt(ctx, r.lease, pair.Link, [2]record.Fields{}, time.Now())
}

// tellDead finishes what giveWay began: the side with authority no longer has the
// booking, the other was not told, and both look as they were last settled. Only a
// link that is marked is looked at: a standing difference is nothing new.
func (r *run) tellDead(p record.Pair, c plan.Case, v *plan.Verdict) error {
	b := r.job.Booking
	if b == nil || b.Refused == "" || len(v.Actions) > 0 || !p.Sides[0].Dirty && !p.Sides[1].Dirty {
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

// watchAnswers tells the desk about bookings that nobody has entered or refused for
// longer than was promised.
func (r *run) watchAnswers(ctx context.Context) error {
	b := r.job.Booking
	if b == nil || b.AnswerWithin <= 0 {
		return nil
	}
	if err := r.watchPending(ctx); err != nil {
		return err
	}
	side := b.Authority.Other()
	late := time.Now().Add(-b.AnswerWithin)
	after := int64(0)
	for {
		es, err := r.Store.Unlinked(ctx, r.place(side), after, batch)
		if err != nil || len(es) == 0 {
			return err
		}
		for _, e := range es {
			after = e.Num
			if e.Since.After(late) {
				continue
			}
			why := e.Why
			if why == "" {
				why = "it could not be entered yet"
			}
			if err := r.tellLate(ctx, side, e, e.Since, why); err != nil {
				return err
			}
		}
	}
}

// pendingFor is how far back bookings that were entered as pending are watched.
const pendingFor = 30 * 24 * time.Hour

// watchPending looks at bookings that arrived as pending and that the desk has
// neither confirmed nor refused. One that was seen answered stays so: a house enters
// thousands, and to read them all at every run would cost more than the run itself.
func (r *run) watchPending(ctx context.Context) error {
	b := r.job.Booking
	if b.Pending == "" {
		return nil
	}
	made, err := r.Store.Made(ctx, r.place(b.Authority), time.Now().Add(-pendingFor))
	if err != nil {
		return err
	}
	known, _ := r.answered.Load(r.job.Binding)
	before, _ := known.(map[record.LinkID]bool)
	answered := make(map[record.LinkID]bool, len(made)) // those of old drop out
	for _, m := range made {
		if time.Since(m.At) < b.AnswerWithin {
			continue
		}
		if !before[m.Link] {
			if yes, err := r.answer(ctx, m); err != nil {
				return err
			} else if !yes {
				continue
			}
		}
		answered[m.Link] = true
	}
	r.answered.Store(r.job.Binding, answered)
	return nil
}

// answer reports whether the desk has answered a booking, and tells it if it has not.
func (r *run) answer(ctx context.Context, m record.Made) (bool, error) {
	b := r.job.Booking
	pair, ok, err := r.Store.Pair(ctx, m.Link)
	if err != nil || !ok {
		return false, err
	}
	e := pair.Sides[b.Authority]
	s, err := r.sideOf(ctx, b.Authority, e)
	if err != nil {
		return false, err
	}
	if is := s.Now[b.Status].Text(); is != b.Pending {
		return is != "", nil
	}
	return false, r.tellLate(ctx, b.Authority, e, m.At, "the desk has neither confirmed nor refused it")
}

// tellLate alerts, once, about a booking without an answer.
func (r *run) tellLate(ctx context.Context, side record.Side, e record.Entry, asked time.Time, why string) error {
	return r.tellOnce(ctx, side, e, fmt.Sprintf("has had no answer for %s: %s", time.Since(asked).Round(time.Minute), why))
}

// tellOnce alerts, once, about a booking that waits for somebody.
func (r *run) tellOnce(ctx context.Context, side record.Side, e record.Entry, what string) error {
	const kind = "booking_waiting"
	told, err := r.Store.Alerted(ctx, r.job.Binding, e.Num, kind)
	if err != nil || told {
		return err
	}
	r.count("unanswered", 1)
	return r.alert(ctx, e.Num, kind, fmt.Sprintf("%s of %s %s", e.Ref, r.side(side).System, what))
}

// pause lets d pass, or less if ctx is done.
func (r *run) pause(ctx context.Context, d time.Duration) error {
	if r.Pause != nil {
		return r.Pause(ctx, d)
	}
	return wait(ctx, d)
}

// wait sleeps until d has passed or ctx is done.
func wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
