package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"nightporter/connectors"
	"nightporter/sync/apply"
	"nightporter/sync/plan"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// keepGone stores what is decided of a link of which a record is gone, but for what is
// written to a system. Where only some of a plan is to be done, questions are all that
// is stored.
func (r *run) keepGone(ctx context.Context, d decided) error {
	a, now := d.gone, time.Now()
	if r.limited() && a.question == nil {
		return nil
	}
	var err error
	switch a.fate.Deed {
	case away.GoOn:
	case away.Await:
		if a.pair.State.Ended() { // there is nothing to wait for
			err = r.Store.After(ctx, r.lease, d.link, record.AfterNothing)
		}
		r.noteUnsure(a)
	case away.Carry:
		if a.steps == 0 { // it holds already what it is put aside by
			err = r.Store.Part(ctx, r.lease, d.link, record.LinkParted, record.AfterArchived, now)
		}
	case away.Part:
		r.count("parted", 1)
		err = r.Store.Part(ctx, r.lease, d.link, record.LinkParted, record.AfterUnlinked, now)
	case away.Ignore:
		err = r.Store.After(ctx, r.lease, d.link, record.AfterIgnored)
	case away.End:
		r.count("ended", 1)
		err = r.Store.Part(ctx, r.lease, d.link, record.LinkGone, record.AfterBoth, now)
	case away.Rewire:
		r.count("rewired", 1)
		if a.joins {
			r.count("linked", 1)
		}
		r.strays = true
		if err = r.endUnmet(ctx, a.to[a.fate.Side]); err != nil {
			return err
		}
		err = r.Store.Rewire(ctx, r.lease, d.link, a.fate.Side, a.to[a.fate.Side], now)
	case away.Free:
		r.strays = true
		err = r.Store.Free(ctx, r.lease, d.link, a.fate.Side, now)
	case away.Resume:
		r.strays = true
		if err = r.endUnmade(ctx, a.pair); err != nil {
			return err
		}
		err = r.Store.Rejoin(ctx, r.lease, d.link, now)
	case away.Split:
		r.strays = true
		side := a.fate.Side
		why := fmt.Sprintf("%s has another record under the id of the one that it was linked to, %s: is it to be made there anew?",
			r.side(side).System, a.pair.Sides[side].Ref)
		err = r.Store.Split(ctx, r.lease, d.link, side, why, now)
	case away.Begin:
		r.strays = true
		err = r.Store.BeginAnew(ctx, r.lease, d.link, a.fate.Side, now)
	case away.Ask, away.Break:
		err = r.keepQuestion(ctx, a)
	}
	if err != nil {
		return fmt.Errorf("settle link %d, of which a record is gone: %w", d.link, err)
	}
	return nil
}

// askOfStrangers has persons asked about records that others have taken the place of, and
// takes up what they said, though a run ends before its first write: where no other
// record vouches for a system, only their answers do.
func (r *run) askOfStrangers(ctx context.Context, d *draft, cause error) error {
	if !errors.Is(cause, ErrHalted) {
		return cause
	}
	for _, p := range d.pairs {
		if p.gone == nil {
			continue
		}
		answered := p.gone.pair.State == record.LinkBroken &&
			slices.Contains([]away.Deed{away.Resume, away.Part, away.Split, away.Free}, p.gone.fate.Deed)
		if p.gone.fate.Deed != away.Break && !answered {
			continue
		}
		if err := r.keepGone(ctx, p); err != nil {
			return err
		}
	}
	return cause
}

// askAtLeast does so where a run ends before it has planned anything: a create that may be
// sent again is what it would have written first.
func (r *run) askAtLeast(ctx context.Context, cause error) error {
	if !errors.Is(cause, ErrHalted) {
		return cause
	}
	d, err := r.planLinked(ctx)
	if err != nil {
		return errors.Join(cause, err)
	}
	return r.askOfStrangers(ctx, d, cause)
}

// noteUnsure says why a link does not go on yet with what one of its records was merged
// into. The link stays to be looked at.
func (r *run) noteUnsure(a *absence) {
	for side, why := range a.unsure {
		if why != "" && a.newer[side].Num == 0 { // of the others it was said when they were planned
			r.note(record.Side(side), a.pair.Sides[side].Ref, record.Waiting, "it was merged into "+a.tombs[side].Moved+": "+why)
		}
	}
}

// keepQuestion stores that a person is asked about a link.
func (r *run) keepQuestion(ctx context.Context, a *absence) error {
	if err := r.keepConflicts(ctx, a.pair.Link, slices.Concat(a.question, chosenOf(a.asked))); err != nil {
		return err
	}
	if a.fate.Deed == away.Ask {
		done := record.AfterHeld
		if a.fate.Question == away.AskReturned { // what was done stays known
			done = record.AfterNothing
		}
		err := r.Store.After(ctx, r.lease, a.pair.Link, done)
		if err == nil && a.fate.Question == away.AskNamed { // once nobody names it any more, there is nothing to ask
			err = r.Store.Touch(ctx, r.lease, []int64{a.pair.Sides[a.fate.Side.Other()].Num})
		}
		return err
	}
	if a.to[a.fate.Side] != 0 { // each plan keeps that one from a counterpart of its own
		r.noteUnsure(a)
		return nil
	}
	e := a.pair.Sides[a.fate.Side]
	if e.State != record.Stranger {
		if err := r.Store.Estrange(ctx, r.lease, e.Num, "its keys and all its values are others than those of the record that was linked"); err != nil {
			return err
		}
	}
	return r.Store.Part(ctx, r.lease, a.pair.Link, record.LinkBroken, record.AfterNothing, time.Now())
}

// mayCarry makes sure, as the last thing before an absence is carried over, that the
// system of the record that is gone is the one we know, and that it is gone still.
func (r *run) mayCarry(ctx context.Context, a plan.Action) (bool, error) {
	carried, is := r.absences[a.Link]
	if a.Risk != plan.RiskDelete && (!is || carried.fate.Deed != away.Carry || a.Change.Op == record.Create) {
		return true, nil
	}
	if why := r.undeleted[a.Side]; why != "" && a.Change.Op == record.Delete {
		r.count("postponed", 1)
		return false, nil
	}
	side := a.Side.Other()
	x, is := r.absences[a.Link]
	if !is || x.fate.Deed != away.Carry || x.fate.Side != a.Side { // it was taken first, and decided otherwise
		r.notCarried(a, side)
		return false, nil
	}
	if ok, err := r.compared(ctx); err != nil || !ok {
		r.count("postponed", 1)
		r.note(side, a.Source, record.Waiting,
			"the state was put back to an older copy: nothing is deleted before both sides were read whole")
		return false, err
	}
	if err := r.prove(ctx, side); err != nil {
		return false, err
	}
	gone, ok, err := r.Store.Entry(ctx, r.place(side), x.pair.Sides[side].Ref)
	if err != nil {
		return false, err
	}
	if !ok || gone.Link != a.Link || gone.State != record.Gone { // it was taken first, and is there
		r.notCarried(a, side)
		return false, nil
	}
	if ok, err := r.succeeded(ctx, side, &x); err != nil || !ok {
		return false, err
	}
	if ok, err := r.nobodyNames(ctx, a, &x); err != nil || !ok {
		return false, err
	}
	if _, ok := r.buried[gone.Num]; ok || x.tombs[side].Evidence == record.EvidenceGivenAgain { // its id names another
		return true, nil
	}
	ended, err := r.endedAway(ctx, side, &x)
	if err != nil {
		return false, err
	}
	at := time.Now()
	_, err = r.readRef(ctx, side, gone.Ref)
	switch class := connectors.ClassOf(err); {
	case class == connectors.NotFound, class == connectors.Moved && isNewer(err) == x.asVersion(side) && !ended:
		return true, nil
	case class == connectors.Moved:
		t := r.follow(ctx, side, gone.Ref, err)
		if t.nowhere() && ended { // as it was when its end was decided
			return true, nil
		}
		if t.unread() {
			err = t.err
			break
		}
		return false, r.movedTo(ctx, side, gone, t, at)
	case err == nil:
		r.notCarried(a, side)
		return false, nil
	}
	failed := 0
	if err := r.passOver(side, err, &failed); err != nil {
		return false, err
	}
	r.count("postponed", 1)
	r.noteUnread(side, gone.Ref, err)
	return false, nil
}

// asVersion reports whether the record of a side was decided to go for a newer version, and
// its system is to say so still; otherwise it was for another record, or for none.
func (x *absence) asVersion(side record.Side) bool {
	return x.newer[side].Num != 0 && x.tombs[side].Evidence == record.EvidenceReplaced
}

// endedAway reports whether a record was decided to be gone for good, or merged into one that
// is gone: if it is another one now, that has to be gone still.
func (r *run) endedAway(ctx context.Context, side record.Side, x *absence) (bool, error) {
	t := x.tombs[side]
	if t.Moved == "" || t.Evidence != record.EvidenceMerged {
		return t.Moved == "", nil
	}
	to, ok, err := r.Store.Entry(ctx, r.place(side), record.Ref{Kind: x.pair.Sides[side].Ref.Kind, ID: t.Moved})
	return !ok || to.State == record.Gone, err
}

// notCarried says that an absence is not carried over after all.
func (r *run) notCarried(a plan.Action, side record.Side) {
	r.count("stale", 1)
	r.note(side, a.Source, record.InStep, "it is there again, or was decided anew meanwhile: nothing was done to the record across")
	if r.opt.Plan != nil {
		r.rep.Dropped = append(r.rep.Dropped, a.Digest())
	}
}

// afterGone ends a link once the last change is settled by which its record was put
// aside. The receipt of a delete does so itself.
func (r *run) afterGone(ctx context.Context, a plan.Action) error {
	x, is := r.absences[a.Link]
	if !is || a.Link == 0 || x.fate.Deed != away.Carry || x.fate.Side != a.Side || a.Change.Op == record.Delete || a.Step+1 < x.steps {
		return nil
	}
	return r.Store.Part(ctx, r.lease, a.Link, record.LinkParted, record.AfterArchived, time.Now())
}

// deleteRefused deals with a system that did not delete a record. It is asked no more
// in this run where it was not about this record.
func (r *run) deleteRefused(ctx context.Context, a plan.Action, out apply.Outcome) error {
	r.note(a.Side, a.Change.Ref, record.Quarantined, fmt.Sprintf("%s did not delete it: %v", r.side(a.Side).System, out.Err))
	if out.Class == connectors.Forbidden || out.Class == connectors.Unsupported {
		r.undeleted[a.Side] = string(out.Class)
	}
	return r.askAnew(ctx, a)
}

// askAnew takes back that a person wanted an absence carried over, which was refused once
// more: they are asked anew.
func (r *run) askAnew(ctx context.Context, a plan.Action) error {
	if a.Risk != plan.RiskDelete || a.Link == 0 {
		return nil
	}
	return r.keepConflicts(ctx, a.Link, nil)
}

// loadRevenants remembers which strangers were gone and are there again: nothing is
// made of them before a person says.
func (r *run) loadRevenants(ctx context.Context) error {
	r.back = map[int64]string{}
	for _, side := range record.Sides {
		if r.side(side).Can.Immutable { // it is what it was
			continue
		}
		found, err := r.Store.Revenants(ctx, r.place(side))
		if err != nil {
			return err
		}
		for _, t := range found {
			switch {
			case t.Evidence == record.EvidenceAnother:
				r.back[t.Entry] = t.Why
			case t.Done.Acted():
				r.back[t.Entry] = "it was gone, and is there again: " + string(t.Done) + " was what came of the record that it was linked to"
			}
		}
	}
	return nil
}
