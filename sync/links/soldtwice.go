package links

import (
	"context"
	"fmt"
	"slices"

	"nightporter/connectors"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// StillGivesWay plans a booking to give way that a guard held when its room was found to be
// sold twice: as part of the plan it waits with its set, and goes with a yes. Its room is asked
// for once more; where that is free now nothing is planned, and the question ends.
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
	free, err := asker.Accepts(ctx, s.Ref, s.Native, "np:"+r.Install+":"+p.Entity)
	if err != nil || free {
		return err
	}
	v.Actions = []plan.Action{a}
	return nil
}

// TellDead finishes what giveWay began: the side with authority no longer has the
// booking, the other was not told, and both look as they were last settled. Only a
// link that is marked is looked at: a standing difference is nothing new.
func (r *Room) TellDead(p record.Pair, c plan.Case, v *plan.Verdict) error {
	b := r.Job.Booking
	if b == nil || len(v.Actions) > 0 || !p.Sides[0].Dirty && !p.Sides[1].Dirty || !r.CanRefuse(b.Authority.Other()) {
		return nil
	}
	auth, other := c.Sides[b.Authority], c.Sides[b.Authority.Other()]
	dead := slices.Contains(b.Dead, auth.Now[b.Status].Text())
	if !dead || auth.Seen || other.Seen || slices.Contains(b.Dead, other.Now[b.Status].Text()) {
		return nil
	}
	why := fmt.Sprintf("it is %s in %s already", auth.Now[b.Status].Text(), r.Side(b.Authority).System) // given way, or by the desk
	a, err := r.StatusAction(b.Authority.Other(), other, p.Link, b.Refused, why)
	if err != nil {
		return err
	}
	v.Actions, v.Adopt = []plan.Action{a}, [2]record.Fields{}
	return nil
}
