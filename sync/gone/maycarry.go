package gone

import (
	"context"
	"time"

	"nightporter/connectors"
	"nightporter/sync/observe"
	"nightporter/sync/plan"
	"nightporter/sync/plan/away"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// carrying is an absence that is about to be carried over.
type carrying struct {
	plan.Action
	x    run.Absence
	side record.Side  // on which the record is gone
	gone record.Entry // as it is known now
}

// MayCarry makes sure, as the last thing before an absence is carried over, that the system of the record that is
// gone is the one we know, and that the record is still gone. What costs a request comes last. It is true for an
// action that carries no absence over.
func (r *Room) MayCarry(ctx context.Context, a plan.Action) (bool, error) {
	c := &carrying{Action: a, x: r.Absences[a.Link], side: a.Side.Other()}
	if a.Risk != plan.RiskDelete && (c.x.Fate.Deed != away.Carry || a.Change.Op == record.Create) {
		return true, nil
	}
	for _, holds := range []func(context.Context, *carrying) (bool, error){
		r.deletes, r.stillCarried, r.compared, r.stillGone, r.succeeded, r.unnamed, r.readsGone,
	} {
		if ok, err := holds(ctx, c); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

// deletes reports whether this run has not found that the system refuses deletes.
func (r *Room) deletes(_ context.Context, c *carrying) (bool, error) {
	if r.Undeleted[c.Side] != "" && c.Change.Op == record.Delete {
		r.Count("postponed", 1)
		return false, nil
	}
	return true, nil
}

// stillCarried reports whether the link is still to be carried over. It may have been taken first meanwhile, and
// decided otherwise.
func (r *Room) stillCarried(_ context.Context, c *carrying) (bool, error) {
	if c.x.Fate.Deed != away.Carry || c.x.Fate.Side != c.Side {
		r.notCarried(c.Action, c.side)
		return false, nil
	}
	return true, nil
}

// compared reports whether both sides were read whole since the state was put back, if it was.
func (r *Room) compared(ctx context.Context, c *carrying) (bool, error) {
	if ok, err := r.match.Compared(ctx); err != nil || !ok {
		r.Count("postponed", 1)
		r.Note(c.side, c.Source, record.Waiting,
			"the state was put back to an older copy: nothing is deleted before both sides were read whole")
		return false, err
	}
	return true, r.trust.Prove(ctx, c.side)
}

// stillGone reports whether nothing has shown since that the record is there.
func (r *Room) stillGone(ctx context.Context, c *carrying) (bool, error) {
	gone, ok, err := r.store.Entry(ctx, r.Place(c.side), c.x.Pair.Sides[c.side].Ref)
	if err != nil {
		return false, err
	}
	if c.gone = gone; !ok || gone.Link != c.Link || gone.State != record.Gone {
		r.notCarried(c.Action, c.side)
		return false, nil
	}
	return true, nil
}

// succeeded reports whether a newer version, if there is one, is in its place.
func (r *Room) succeeded(ctx context.Context, c *carrying) (bool, error) {
	return r.settle.Succeeded(ctx, c.side, &c.x)
}

// unnamed reports whether, since this was decided, nothing new names the record that is to go, or is linked with
// it.
func (r *Room) unnamed(ctx context.Context, c *carrying) (bool, error) {
	return r.nobodyNames(ctx, c.Action, &c.x)
}

// readsGone reads the record by its id once more, and reports whether it is still gone. Nothing is read if a read
// of this run has proved that, or if the id names another record now.
func (r *Room) readsGone(ctx context.Context, c *carrying) (bool, error) {
	if _, ok := r.Buried[c.gone.Num]; ok || c.x.Tombs[c.side].Evidence == record.EvidenceGivenAgain {
		return true, nil
	}
	ended, err := r.endedAway(ctx, c.side, &c.x)
	if err != nil {
		return false, err
	}
	at := time.Now()
	_, err = r.observe.ReadRef(ctx, c.side, c.gone.Ref)
	switch class := connectors.ClassOf(err); {
	case class == connectors.NotFound, class == connectors.Moved && observe.IsNewer(err) == c.x.AsVersion(c.side) && !ended:
		return true, nil
	case class == connectors.Moved:
		return r.movedStill(ctx, c, err, ended, at)
	case err == nil:
		r.notCarried(c.Action, c.side)
		return false, nil
	}
	return false, r.unreadGone(c, err)
}

// movedStill reports whether a record that was merged is still gone: the record that it is now must still be gone,
// as it was when this was decided.
func (r *Room) movedStill(ctx context.Context, c *carrying, moved error, ended bool, at time.Time) (bool, error) {
	t := r.observe.Follow(ctx, c.side, c.gone.Ref, moved)
	switch {
	case t.Nowhere() && ended:
		return true, nil
	case t.Unread():
		return false, r.unreadGone(c, t.Err)
	}
	return false, r.observe.MovedTo(ctx, c.side, c.gone, t, at)
}

// unreadGone has an absence wait, because its record can't be read now. An error ends the run.
func (r *Room) unreadGone(c *carrying, err error) error {
	failed := 0
	if err := r.observe.PassOver(c.side, err, &failed); err != nil {
		return err
	}
	r.Count("postponed", 1)
	r.NoteUnread(c.side, c.gone.Ref, err)
	return nil
}

// endedAway reports whether nothing is left of a record that was decided to be gone: it became no other record, or
// it was merged into one that was gone as well, and that still is.
func (r *Room) endedAway(ctx context.Context, side record.Side, x *run.Absence) (bool, error) {
	t := x.Tombs[side]
	if t.Moved == "" || t.Evidence != record.EvidenceMerged {
		return t.Moved == "", nil
	}
	to, ok, err := r.store.Entry(ctx, r.Place(side), record.Ref{Kind: x.Pair.Sides[side].Ref.Kind, ID: t.Moved})
	return !ok || to.State == record.Gone, err
}

// notCarried says that an absence is not carried over after all.
func (r *Room) notCarried(a plan.Action, side record.Side) {
	r.Count("stale", 1)
	r.Note(side, a.Source, record.InStep, "it is there again, or was decided anew meanwhile: nothing was done to the record across")
	if r.Options.Plan != nil {
		r.Report.Dropped = append(r.Report.Dropped, a.Digest())
	}
}
