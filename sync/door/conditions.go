package door

import (
	"context"
	"fmt"

	"nightporter/connectors"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// condition checks one thing that must hold before an action is sent. If it does not hold, the condition notes why
// and returns false: the action is not sent in this run.
type condition func(r *Room, ctx context.Context, a plan.Action) (bool, error)

// conditions is all of them, in the order in which they are checked. Those that cost no request come first. Those
// that ask a system come after the check that it is the one we know, except for seen, which may read the record
// once more. Nothing else checks an action before it is sent.
var conditions = []condition{ //nolint:gochecknoglobals // a fixed list
	(*Room).verbTaken,
	(*Room).answered,
	(*Room).seen,
	(*Room).notPaused,
	(*Room).notKeptBack,
	(*Room).system,
	ofCreates((*Room).sidesWhole),
	ofCreates((*Room).notMeeting),
	ofCreates((*Room).sourceStands),
	ofCreates((*Room).sourceWhole),
	ofCreates((*Room).notMadeElsewhere),
	ofCreates((*Room).lacking),
	(*Room).stepStands,
	(*Room).saidStands,
	(*Room).mayCarry,
	(*Room).roomGone,
	(*Room).tried,
}

// holds reports whether all conditions of an action hold.
func (r *Room) holds(ctx context.Context, a plan.Action) (bool, error) {
	for _, holds := range conditions {
		if ok, err := holds(r, ctx, a); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

// ofCreates makes a condition apply to creates alone. For any other action it holds.
func ofCreates(holds condition) condition {
	return func(r *Room, ctx context.Context, a plan.Action) (bool, error) {
		if a.Change.Op != record.Create {
			return true, nil
		}
		return holds(r, ctx, a)
	}
}

// verbTaken is false where the system said in this run that it takes no changes of this sort.
func (r *Room) verbTaken(_ context.Context, a plan.Action) (bool, error) {
	return !r.findings.VerbNotTaken(a), nil
}

// answered is false where the same change was sent before and got no answer, and it is too early to send it again.
func (r *Room) answered(_ context.Context, a plan.Action) (bool, error) {
	return !r.settle.AwaitsAnswer(a), nil
}

// seen is false where nobody can see the record as it is now: nothing is written over what was never shown.
func (r *Room) seen(ctx context.Context, a plan.Action) (bool, error) {
	unseen, err := r.observe.Unseen(ctx, a)
	return !unseen, err
}

// notPaused is false while nothing may be written to the side: somebody paused it, it asked to wait, or it is an
// hour at which it is left alone.
func (r *Room) notPaused(ctx context.Context, a plan.Action) (bool, error) {
	held, err := r.trust.Held(ctx, a.Side)
	if err == nil && held {
		r.guards.Unsent(a)
		r.Count("postponed", 1)
	}
	return !held, err
}

// notKeptBack is false while a change that may reach a person must wait, as send_hours,
// most_an_hour or never_to say.
func (r *Room) notKeptBack(ctx context.Context, a plan.Action) (bool, error) {
	kept, err := r.guards.KeptBack(ctx, a)
	return !kept, err
}

// system reports whether the system is the one that we know. The error says why it is not.
func (r *Room) system(ctx context.Context, a plan.Action) (bool, error) {
	err := r.trust.Prove(ctx, a.Side)
	return err == nil, err
}

// sidesWhole reports whether both sides were read whole since the state was put back to an older copy.
func (r *Room) sidesWhole(_ context.Context, a plan.Action) (bool, error) {
	if !r.Whole {
		r.unproven(a, "the state was put back to an older copy: nothing is created before both sides were read whole")
	}
	return r.Whole, nil
}

// notMeeting is false where a create from this record got no answer, and a record with its key came since. The two
// are to be linked, and nothing more is created.
func (r *Room) notMeeting(_ context.Context, a plan.Action) (bool, error) {
	if r.match.Meeting[a.From] != "" {
		r.postponed(a, "a record with its key came, and is to be linked with it")
		return false, nil
	}
	return true, nil
}

// sourceWhole reports whether all fields of the record that a create is made from are known.
func (r *Room) sourceWhole(ctx context.Context, a plan.Action) (bool, error) {
	return r.observe.SourceWhole(ctx, a)
}

// notMadeElsewhere reports whether no other job has just made the same record in the system, or may have.
func (r *Room) notMadeElsewhere(ctx context.Context, a plan.Action) (bool, error) {
	why, err := r.match.MadeElsewhere(ctx, a)
	if err == nil && why != "" {
		r.postponed(a, why)
	}
	return why == "", err
}

// lacking reports whether it is known that the side lacks the record.
func (r *Room) lacking(ctx context.Context, a plan.Action) (bool, error) {
	ok, err := r.proof.FindFirst(ctx, a)
	if err != nil {
		return false, fmt.Errorf("look for %s before it is created: %w", a.Source, err)
	}
	if !ok {
		r.unproven(a, r.proof.Unsure(a.Side, a.From))
		r.proof.FindUnproven(a)
	}
	return ok, nil
}

// saidStands is false where the action carries out what a person said, and that may not count any more: the record
// across must be there, and be as it was.
func (r *Room) saidStands(ctx context.Context, a plan.Action) (bool, error) {
	return r.links.SaidStands(ctx, a)
}

// mayCarry reports whether an absence may still be carried over: the record across must still be gone.
func (r *Room) mayCarry(ctx context.Context, a plan.Action) (bool, error) {
	return r.gone.MayCarry(ctx, a)
}

// roomGone is false where a booking gives way because a person said so, and its room is free by now: another booking
// may have given way first.
func (r *Room) roomGone(ctx context.Context, a plan.Action) (bool, error) {
	b := r.Job.Booking
	if !r.refuses(a) {
		return true, nil
	}
	check, _, err := r.store.RoomCheck(ctx, a.Link)
	if err != nil || check.Fate != record.RoomHeld {
		return err == nil, err
	}
	asker, ok := r.Side(b.Authority).Conn.(connectors.Asker)
	pair, there, err := r.store.Pair(ctx, a.Link)
	if err != nil || !ok || !there {
		return err == nil, err
	}
	s, err := r.refer.SideOf(ctx, b.Authority, pair.Sides[b.Authority])
	if err != nil {
		return false, err
	}
	free, err := asker.Accepts(ctx, s.Ref, s.Native, r.MarkOf(pair.Entity))
	if err != nil || !free {
		return err == nil, err
	}
	r.Count("stale", 1)
	return false, r.links.FreeAgain(ctx, pair, check)
}

// tried is false while the trial of this operation is not judged yet, and where it forbids more writes.
func (r *Room) tried(_ context.Context, a plan.Action) (bool, error) {
	return r.trials.TriedBefore(a), nil
}

// unproven notes that a create waits, because its side may have the record already.
func (r *Room) unproven(a plan.Action, why string) {
	r.Count("unproven", 1)
	r.Note(a.Side.Other(), a.Source, record.Waiting, why)
}

// postponed notes that a create is left to a later run.
func (r *Room) postponed(a plan.Action, why string) {
	r.Count("postponed", 1)
	r.Note(a.Side.Other(), a.Source, record.Waiting, why)
}
