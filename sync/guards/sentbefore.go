package guards

import (
	"context"
	"fmt"
	"slices"

	"nightporter/sync/plan"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// sentBefore says whether a change that a person approved, and that is no longer planned, was sent all the same:
// its answer was lost, or the run that sent it was cut off. open says that nobody knows yet what became of it,
// done that it was found to be done.
func (r *Room) sentBefore(ctx context.Context, action string, x run.Said) (open, done bool, err error) {
	source, ok, err := r.SourceOf(ctx, x.Stage.Side.Other(), x.Row)
	if err != nil || !ok {
		return false, false, err
	}
	is := func(in record.Intent) bool {
		a := plan.Action{Side: in.Place.Side, Source: source, Change: in.Change}
		return in.Place.Side == x.Stage.Side && a.Digest() == action
	}
	unsettled, err := r.store.Unsettled(ctx, r.Job.Binding)
	if err != nil || slices.ContainsFunc(unsettled, is) {
		return err == nil, false, err
	}
	var made []record.Intent
	if x.Row.Entry != 0 {
		made, err = r.store.Created(ctx, r.Place(x.Stage.Side), x.Stage.Chosen)
	} else {
		made, err = r.store.Written(ctx, x.Row.Link, x.Stage.Chosen)
	}
	return false, slices.ContainsFunc(made, is), err
}

// unplanned reports whether an approved change no longer holds: this run did not plan it, or met a record that had
// moved on. A change that was sent before is still open, or done, and is not unplanned. In a plan of some records
// only, a change that is missing may still hold.
func (r *Room) unplanned(ctx context.Context, whole bool, wanted map[string]bool, action string) (bool, error) {
	if r.Book.Did[action] || wanted[action] && !r.Book.Moved[action] {
		return false, nil
	}
	open, done, err := r.sentBefore(ctx, action, r.Book.Approved[action])
	if err != nil {
		return false, fmt.Errorf("look whether it was sent: %w", err)
	}
	if done {
		r.Book.Did[action] = true
	}
	return !open && !done && (whole || r.Book.Moved[action]), nil
}
