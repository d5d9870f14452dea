package door

import (
	"context"
	"fmt"

	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// condition is something that must hold before an action is sent. Where it does not it notes why, and the action
// is not sent in this run.
type condition func(r *Room, ctx context.Context, a plan.Action) (bool, error)

// conditions are made sure of in this order: what costs no request comes first, and nothing is asked about a
// system that is not known to be the one we know. What the list does not have is not made sure of anywhere else.
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
	(*Room).tried,
}

// holds makes sure of all that must hold before an action is sent.
func (r *Room) holds(ctx context.Context, a plan.Action) (bool, error) {
	for _, holds := range conditions {
		if ok, err := holds(r, ctx, a); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

// ofCreates is a condition of creates alone.
func ofCreates(holds condition) condition {
	return func(r *Room, ctx context.Context, a plan.Action) (bool, error) {
		if a.Change.Op != record.Create {
			return true, nil
		}
		return holds(r, ctx, a)
	}
}

// verbTaken reports whether the system has not said that it takes no such operation.
func (r *Room) verbTaken(_ context.Context, a plan.Action) (bool, error) {
	return !r.findings.VerbNotTaken(a), nil
}

// answered reports whether no earlier change of the record waits for its answer.
func (r *Room) answered(_ context.Context, a plan.Action) (bool, error) {
	return !r.settle.AwaitsAnswer(a), nil
}

// seen reports whether what is to be written over was ever shown.
func (r *Room) seen(ctx context.Context, a plan.Action) (bool, error) {
	unseen, err := r.observe.Unseen(ctx, a)
	return !unseen, err
}

// notPaused reports whether nobody paused the system.
func (r *Room) notPaused(ctx context.Context, a plan.Action) (bool, error) {
	held, err := r.trust.Held(ctx, a.Side)
	if err == nil && held {
		r.guards.Unsent(a)
		r.Count("postponed", 1)
	}
	return !held, err
}

// notKeptBack reports whether what may reach a person may go now.
func (r *Room) notKeptBack(ctx context.Context, a plan.Action) (bool, error) {
	kept, err := r.guards.KeptBack(ctx, a)
	return !kept, err
}

// system reports whether the system is the one that we know.
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

// notMeeting reports whether what came since is not to be linked with the record: a create of it is open.
func (r *Room) notMeeting(_ context.Context, a plan.Action) (bool, error) {
	if r.match.Meeting[a.From] != "" {
		r.postponed(a, "a record with its key came, and is to be linked with it")
		return false, nil
	}
	return true, nil
}

// sourceWhole reports whether what a create is made from is known in all its fields.
func (r *Room) sourceWhole(ctx context.Context, a plan.Action) (bool, error) {
	return r.observe.SourceWhole(ctx, a)
}

// notMadeElsewhere reports whether no other job of the system has just made the same.
func (r *Room) notMadeElsewhere(ctx context.Context, a plan.Action) (bool, error) {
	why, err := r.match.MadeElsewhere(ctx, a)
	if err == nil && why != "" {
		r.postponed(a, why)
	}
	return why == "", err
}

// lacking reports whether the side is known to lack the record.
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

// saidStands reports whether what a person said, and the action rests on, counts still.
func (r *Room) saidStands(ctx context.Context, a plan.Action) (bool, error) {
	return r.links.SaidStands(ctx, a)
}

// mayCarry reports whether an absence may still be carried over.
func (r *Room) mayCarry(ctx context.Context, a plan.Action) (bool, error) {
	return r.gone.MayCarry(ctx, a)
}

// tried reports whether no first write of its operation is still to be looked at.
func (r *Room) tried(_ context.Context, a plan.Action) (bool, error) {
	return r.trials.TriedBefore(a), nil
}

// unproven notes of a create that its side may have the record.
func (r *Room) unproven(a plan.Action, why string) {
	r.Count("unproven", 1)
	r.Note(a.Side.Other(), a.Source, record.Waiting, why)
}

// postponed notes of a create that a later run sends it.
func (r *Room) postponed(a plan.Action, why string) {
	r.Count("postponed", 1)
	r.Note(a.Side.Other(), a.Source, record.Waiting, why)
}
