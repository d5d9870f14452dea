package gone

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"nightporter/sync/links"
	"nightporter/sync/plan"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// KeepGone stores what is decided of a link of which a record is gone, but for what is
// written to a system. Where only some of a plan is to be done, questions are all that
// is stored.
func (r *Room) KeepGone(ctx context.Context, d run.Decided) error {
	a := d.Gone
	if r.Limited() && a.Question == nil {
		return nil
	}
	if a.Fate.Deed == away.Await {
		r.noteUnsure(a)
	}
	keep := r.keepLink
	if a.Fate.Deed.Strays() {
		keep, r.observe.Strays = r.keepStray, true
	}
	if err := keep(ctx, d); err != nil {
		return fmt.Errorf("settle link %d, of which a record is gone: %w", d.Link, err)
	}
	return nil
}

// keepLink stores what is decided of a link whose records stay what they are.
func (r *Room) keepLink(ctx context.Context, d run.Decided) error {
	a, now := d.Gone, time.Now()
	switch a.Fate.Deed {
	case away.Await:
		if a.Pair.State.Ended() { // there is nothing to wait for
			return r.store.After(ctx, r.Lease, d.Link, record.AfterNothing)
		}
	case away.Carry:
		if a.Steps == 0 { // it holds already what it is put aside by
			return r.store.Part(ctx, r.Lease, d.Link, record.LinkParted, record.AfterArchived, now)
		}
	case away.Part:
		r.Count("parted", 1)
		return r.store.Part(ctx, r.Lease, d.Link, record.LinkParted, record.AfterUnlinked, now)
	case away.Ignore:
		return r.store.After(ctx, r.Lease, d.Link, record.AfterIgnored)
	case away.End:
		r.Count("ended", 1)
		return r.store.Part(ctx, r.Lease, d.Link, record.LinkGone, record.AfterBoth, now)
	case away.Ask, away.Break:
		return r.keepQuestion(ctx, a)
	case away.GoOn, away.Rewire, away.Free, away.Resume, away.Split, away.Begin:
	}
	return nil
}

// keepStray stores what is decided of a link by which a record gets another partner, or has none any more: it is looked
// at with those that have no link.
func (r *Room) keepStray(ctx context.Context, d run.Decided) error {
	a, now := d.Gone, time.Now()
	side := a.Fate.Side
	switch a.Fate.Deed {
	case away.Rewire:
		r.Count("rewired", 1)
		if a.Joins {
			r.Count("linked", 1)
		}
		if err := r.settle.EndUnmet(ctx, a.To[side]); err != nil {
			return err
		}
		return r.store.Rewire(ctx, r.Lease, d.Link, side, a.To[side], now)
	case away.Free:
		return r.store.Free(ctx, r.Lease, d.Link, side, now)
	case away.Resume:
		if err := r.settle.EndUnmade(ctx, a.Pair); err != nil {
			return err
		}
		return r.store.Rejoin(ctx, r.Lease, d.Link, now)
	case away.Split:
		why := fmt.Sprintf("%s has another record under the id of the one that it was linked to, %s: is it to be made there anew?",
			r.Side(side).System, a.Pair.Sides[side].Ref)
		return r.store.Split(ctx, r.Lease, d.Link, side, why, now)
	case away.Begin:
		return r.store.BeginAnew(ctx, r.Lease, d.Link, side, now)
	case away.GoOn, away.Await, away.Carry, away.Part, away.Ignore, away.End, away.Ask, away.Break:
	}
	return nil
}

// AskOfStrangers has persons asked about records that others have taken the place of, and
// takes up what they said, though a run ends before its first write: where no other
// record vouches for a system, only their answers do.
func (r *Room) AskOfStrangers(ctx context.Context, d *run.Draft, cause error) error {
	if !errors.Is(cause, run.ErrHalted) {
		return cause
	}
	for _, p := range d.Pairs {
		if p.Gone == nil {
			continue
		}
		answered := p.Gone.Pair.State == record.LinkBroken &&
			slices.Contains([]away.Deed{away.Resume, away.Part, away.Split, away.Free}, p.Gone.Fate.Deed)
		if p.Gone.Fate.Deed != away.Break && !answered {
			continue
		}
		if err := r.KeepGone(ctx, p); err != nil {
			return err
		}
	}
	return cause
}

// noteUnsure says why a link does not go on yet with what one of its records was merged
// into. The link stays to be looked at.
func (r *Room) noteUnsure(a *run.Absence) {
	for side, why := range a.Unsure {
		if why != "" && a.Newer[side].Num == 0 { // of the others it was said when they were planned
			r.Note(record.Side(side), a.Pair.Sides[side].Ref, record.Waiting, "it was merged into "+a.Tombs[side].Moved+": "+why)
		}
	}
}

// keepQuestion stores that a person is asked about a link.
func (r *Room) keepQuestion(ctx context.Context, a *run.Absence) error {
	if err := r.KeepConflicts(ctx, a.Pair.Link, slices.Concat(a.Question, links.ChosenOf(a.Asked))); err != nil {
		return err
	}
	if a.Fate.Deed == away.Ask {
		done := record.AfterHeld
		if a.Fate.Question == away.AskReturned { // what was done stays known
			done = record.AfterNothing
		}
		err := r.store.After(ctx, r.Lease, a.Pair.Link, done)
		if err == nil && a.Fate.Question == away.AskNamed { // once nobody names it any more, there is nothing to ask
			err = r.store.Touch(ctx, r.Lease, []int64{a.Pair.Sides[a.Fate.Side.Other()].Num})
		}
		return err
	}
	if a.To[a.Fate.Side] != 0 { // each plan keeps that one from a counterpart of its own
		r.noteUnsure(a)
		return nil
	}
	e := a.Pair.Sides[a.Fate.Side]
	if e.State != record.Stranger {
		if err := r.store.Estrange(ctx, r.Lease, e.Num, "its keys and all its values are others than those of the record that was linked"); err != nil {
			return err
		}
	}
	return r.store.Part(ctx, r.Lease, a.Pair.Link, record.LinkBroken, record.AfterNothing, time.Now())
}

// AskAnew takes back that a person wanted an absence carried over, which was refused once
// more: they are asked anew.
func (r *Room) AskAnew(ctx context.Context, a plan.Action) error {
	if a.Risk != plan.RiskDelete || a.Link == 0 {
		return nil
	}
	return r.KeepConflicts(ctx, a.Link, nil)
}

// LoadRevenants remembers which strangers were gone and are there again: nothing is
// made of them before a person says.
func (r *Room) LoadRevenants(ctx context.Context) error {
	r.Back = map[int64]string{}
	for _, side := range record.Sides {
		if r.Side(side).Can.Immutable { // it is what it was
			continue
		}
		found, err := r.store.Revenants(ctx, r.Place(side))
		if err != nil {
			return err
		}
		for _, t := range found {
			switch {
			case t.Evidence == record.EvidenceAnother:
				r.Back[t.Entry] = t.Why
			case t.Done.Acted():
				r.Back[t.Entry] = "it was gone, and is there again: " + string(t.Done) + " was what came of the record that it was linked to"
			}
		}
	}
	return nil
}
