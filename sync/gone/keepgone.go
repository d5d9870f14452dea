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

// KeepGone stores what is decided about a link with a record that is gone. What is to be written to a system is
// not done here. If only some of a plan is to be done, only questions are stored.
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
	if a.Fate.Deed.Strays() {
		for side, e := range a.Pair.Sides {
			if e.State != record.Gone {
				r.Strayed = append(r.Strayed, run.ToRead{Side: record.Side(side), Ref: e.Ref})
			}
		}
	}
	return nil
}

// keepLink stores what is decided about a link that keeps its records.
func (r *Room) keepLink(ctx context.Context, d run.Decided) error {
	a, now := d.Gone, time.Now()
	switch a.Fate.Deed {
	case away.Await:
		if a.Pair.State.Ended() { // the link is over: there is nothing to wait for
			return r.store.After(ctx, r.Lease, d.Link, record.AfterNothing)
		}
	case away.Carry:
		if a.Steps == 0 { // the record holds already what is to put it aside
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

// keepStray stores a decision by which a record of a link gets another partner, or has none any more. Such a
// record is looked at together with those that have no link.
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

// AskOfStrangers has persons asked about records that have the id of a linked one now, and takes up what they
// said, although a halt ends the run before its first write. If no other record vouches for a system, only these
// answers do. It returns cause, or an error of its own.
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

// noteUnsure says why a link does not go on yet with the record that one of its own was merged into. The link
// stays to be looked at.
func (r *Room) noteUnsure(a *run.Absence) {
	for side, why := range a.Unsure {
		if why != "" && a.Newer[side].Num == 0 { // for newer versions the plan has noted that already
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
		if a.Fate.Question == away.AskReturned { // what was done before stays known
			done = record.AfterNothing
		}
		err := r.store.After(ctx, r.Lease, a.Pair.Link, done)
		if err == nil && !a.Named.None() { // once nobody names it any more, the question does not say so, or there is none
			err = r.store.Touch(ctx, r.Lease, []int64{a.Pair.Sides[a.Fate.Side.Other()].Num})
		}
		return err
	}
	if a.To[a.Fate.Side] != 0 { // each plan keeps that record from getting a counterpart of its own
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

// AskAnew forgets that a person wanted an absence carried over, after the system has refused that once more. The
// person is asked anew.
func (r *Room) AskAnew(ctx context.Context, a plan.Action) error {
	if a.Risk != plan.RiskDelete || a.Link == 0 {
		return nil
	}
	return r.KeepConflicts(ctx, a.Link, nil)
}

// LoadRevenants loads the records without a link that were gone and are there again. Nothing is made of them
// before a person says so.
func (r *Room) LoadRevenants(ctx context.Context) error {
	r.Back = map[int64]string{}
	for _, side := range record.Sides {
		if r.Side(side).Can.Immutable { // what is there again never changes: it is what it was
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
