package engine

import (
	"context"
	"fmt"
	"slices"

	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// sentBefore says of a change that a person approved, and that is not planned any more, whether
// it was sent all the same: its answer was lost, or the run that sent it was cut off. Then it is
// still open, or was found to be done.
func (r *run) sentBefore(ctx context.Context, action string, x said) (open, done bool, err error) {
	source, ok, err := r.sourceOf(ctx, x.stage.Side.Other(), x.row)
	if err != nil || !ok {
		return false, false, err
	}
	is := func(in record.Intent) bool {
		a := plan.Action{Side: in.Place.Side, Source: source, Change: in.Change}
		return in.Place.Side == x.stage.Side && a.Digest() == action
	}
	unsettled, err := r.Store.Unsettled(ctx, r.job.Binding)
	if err != nil || slices.ContainsFunc(unsettled, is) {
		return err == nil, false, err
	}
	var made []record.Intent
	if x.row.Entry != 0 {
		made, err = r.Store.Created(ctx, r.place(x.stage.Side), x.stage.Decided)
	} else {
		made, err = r.Store.Written(ctx, x.row.Link, x.stage.Decided)
	}
	return false, slices.ContainsFunc(made, is), err
}

// unplanned reports whether an approved change was not planned by this run, or met a record that
// had moved on, and so does not hold any more. What was sent before is still open, or done.
func (r *run) unplanned(ctx context.Context, whole bool, wanted map[string]bool, action string) (bool, error) {
	if r.book.did[action] || wanted[action] && !r.book.moved[action] {
		return false, nil
	}
	open, done, err := r.sentBefore(ctx, action, r.book.approved[action])
	if err != nil {
		return false, fmt.Errorf("look whether it was sent: %w", err)
	}
	if done {
		r.book.did[action] = true
	}
	return !open && !done && (whole || r.book.moved[action]), nil
}
