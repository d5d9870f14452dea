package links

import (
	"context"
	"fmt"
	"slices"

	"nightporter/connectors"
	"nightporter/sync/merge"
	"nightporter/sync/plan"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// StillGivesWay plans once more that a booking gives way, if a guard held that when the room was found to be sold
// twice. As part of the plan the change waits with its set, and goes once a person says yes. Before that the
// system is asked for the room once more. If the room is free now, or somebody has changed the booking since it was
// entered, nothing is planned, and the question ends.
func (r *Room) StillGivesWay(ctx context.Context, p record.Pair, c plan.Case, v *plan.Verdict) error {
	b := r.Job.Booking
	if b == nil || len(v.Actions) > 0 || p.State != record.LinkLive || !r.CanRefuse(b.Authority) {
		return nil
	}
	s := c.Sides[b.Authority]
	asker, is := r.Side(b.Authority).Conn.(connectors.Asker)
	if !is || slices.Contains(b.Dead, s.Now[b.Status].Text()) {
		return nil
	}
	a, err := r.StatusAction(b.Authority, s, p.Link, b.Refused, "its room was sold twice")
	if err != nil || !r.Book.WaitsFor(a) && !r.guards.Approves(a) && !r.Book.Lapsed[a.Digest()] {
		return err
	}
	known, _, err := r.store.RoomCheck(ctx, p.Link)
	if err != nil || known.Fate == record.RoomTouched || known.Fate == record.RoomStands {
		return err
	}
	free, err := asker.Accepts(ctx, s.Ref, s.Native, r.MarkOf(p.Entity))
	if err != nil {
		return err
	}
	if free {
		return r.FreeAgain(ctx, p, known)
	}
	v.Actions = []plan.Action{a}
	return nil
}

// FreeAgain notes that a booking need not give way any more, and tells the desk.
func (r *Room) FreeAgain(ctx context.Context, p record.Pair, known record.RoomCheck) error {
	if r.Options.Dry || known.Fate != record.RoomHeld {
		return nil
	}
	known.Fate = record.RoomOpen
	if err := r.store.NoteRoomCheck(ctx, r.Lease, p.Link, known); err != nil {
		return err
	}
	return r.TellFree(ctx, p.Sides[r.Job.Booking.Authority])
}

// TellDead finishes what giveWay of the room door began: the side with authority no longer has the booking, the
// other side was not told, and both look as they were last settled. It plans to tell the other side. Only a marked
// link is looked at: a difference that has stood for long is nothing new. If somebody has changed the other side
// meanwhile, it is told all the same: it does not know yet that the booking gave way.
func (r *Room) TellDead(ctx context.Context, p record.Pair, c plan.Case, v *plan.Verdict) error {
	b := r.Job.Booking
	if b == nil || len(v.Actions) > 0 || !p.Sides[0].Dirty && !p.Sides[1].Dirty || !r.CanRefuse(b.Authority.Other()) {
		return nil
	}
	auth, other := c.Sides[b.Authority], c.Sides[b.Authority.Other()]
	dead := slices.Contains(b.Dead, auth.Now[b.Status].Text())
	if !dead || auth.Seen || slices.Contains(b.Dead, other.Now[b.Status].Text()) {
		return nil
	}
	if other.Seen {
		if known, _, err := r.store.RoomCheck(ctx, p.Link); err != nil || !known.Fate.GivesWay() || r.wasDead(other) {
			return err
		}
	}
	if !r.isOverYet(ctx, p.Sides[b.Authority]) {
		return run.ErrUnread
	}
	why := fmt.Sprintf("it is %s in %s already", auth.Now[b.Status].Text(), r.Side(b.Authority).System) // it gave way, or the desk ended it
	a, err := r.StatusAction(b.Authority.Other(), other, p.Link, b.Refused, why)
	if err != nil {
		return err
	}
	v.Actions, v.Adopt = []plan.Action{a}, [2]record.Fields{}
	v.Drifts = slices.DeleteFunc(v.Drifts, func(d merge.Decision) bool { return d.Field == b.Status })
	return nil
}

// isOverYet reports whether a booking that we ended is still over. While that change settles, a read that shows the
// booking as it was counts as late, and the desk may have taken the booking back. So the booking is read by id once
// more. If that read shows it alive, the other side is told nothing before the change has settled.
func (r *Room) isOverYet(ctx context.Context, e record.Entry) bool {
	if !r.Now.Before(e.SettleUntil) || r.Options.Dry {
		return true
	}
	b := r.Job.Booking
	get, ok := r.Side(b.Authority).Conn.(connectors.Getter)
	if !ok || !r.CanRead(b.Authority) {
		return false
	}
	rec, err := r.Get(ctx, b.Authority, get, e.Ref)
	r.Count(b.Authority.String()+".reads", 1)
	if class := connectors.ClassOf(err); class == connectors.NotFound || class == connectors.OutOfScope || class == connectors.Moved {
		return true // the desk has taken it out
	}
	if err != nil {
		r.NoteUnread(b.Authority, e.Ref, err)
		return false
	}
	now, _ := r.Job.Mapping.Read(b.Authority, rec.Fields)
	if slices.Contains(b.Dead, now[b.Status].Text()) {
		return true
	}
	r.Note(b.Authority, e.Ref, record.Waiting, fmt.Sprintf("%s shows it as %s again: %s is not told that it is over before %s has settled",
		r.Side(b.Authority).System, now[b.Status].Text(), r.Side(b.Authority.Other()).System, r.Side(b.Authority).System))
	return false
}

// wasDead reports whether a side was last settled as a booking that takes no room.
func (r *Room) wasDead(s plan.Side) bool {
	b := r.Job.Booking
	return slices.ContainsFunc(b.Dead, func(word string) bool { return s.Settled[b.Status].Same(s.Key, record.OfText(word)) })
}
