package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"nightporter/connectors"
	"nightporter/sync/apply"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// patience is how many records a run fails to read by id before it takes the system
// itself to be away, or closed to it.
const patience = 3

// get reads one record by id, and keeps in mind what the side lets be read.
func (r *run) get(ctx context.Context, side record.Side, from connectors.Getter, ref record.Ref) (record.Record, error) {
	rec, err := from.Get(ctx, ref, connectors.Scope{})
	if err == nil && rec.Ref.ID != "" && rec.Ref.ID != ref.ID { // some answer with the record that it was merged into
		err = &connectors.Error{Class: connectors.Moved, Op: "get " + string(ref.Kind), Ref: rec.Ref}
	}
	if r.trials.read[side] == nil {
		r.trials.read[side] = map[string]bool{}
	}
	for _, p := range rec.Fields.Names() {
		r.trials.read[side][p] = true
	}
	answers := []connectors.ErrorClass{"", connectors.NotFound, connectors.OutOfScope, connectors.Moved}
	if class := connectors.ClassOf(err); class == connectors.Forbidden {
		r.barred[side]++
	} else if slices.Contains(answers, class) {
		r.readable[side] = true
	}
	return rec, err
}

// passOver reports nil for an error of a read by id that may concern one record
// alone, and otherwise the error that ends the run. failed counts those that may be
// the system's.
func (r *run) passOver(side record.Side, err error, failed *int) error {
	class := connectors.ClassOf(err)
	_, classed := errors.AsType[*connectors.Error](err)
	switch {
	case err == nil, errors.Is(err, errBehind), ofQuestion(class):
		return nil
	case class == connectors.Forbidden:
		if r.readable[side] || r.barred[side] <= patience {
			return nil
		}
		return fmt.Errorf("%s: %w", r.closed(side), err)
	case class == connectors.Unauthorized, class == connectors.Throttled, !classed, *failed >= patience:
		return err
	}
	*failed++
	return nil
}

// closed says that a side lets none of its records be read by id.
func (r *run) closed(side record.Side) string {
	return fmt.Sprintf("%s lets no single %s be read with this key: give it the right to", r.side(side).System, r.side(side).Kind)
}

// noteClosed notes a side of which no record could be read by id in this run.
func (r *run) noteClosed(side record.Side) {
	if r.barred[side] > 0 && !r.readable[side] {
		r.note(side, record.Ref{Kind: r.side(side).Kind}, record.Waiting, r.closed(side))
	}
}

// noteUnread notes a record that can't be read now.
func (r *run) noteUnread(side record.Side, ref record.Ref, err error) {
	r.count(side.String()+".unread", 1)
	if errors.Is(err, errBehind) {
		r.note(side, ref, record.Waiting, err.Error())
		return
	}
	r.note(side, ref, record.Suspect, "it can't be read now: "+err.Error())
}

// readFirst reads a record by id on which something rests that is about to be written. read is
// false where that record can't be read now: what rests on it waits.
func (r *run) readFirst(ctx context.Context, side record.Side, ref record.Ref) (read bool, err error) {
	err = r.refresh(ctx, side, ref)
	if stop := r.passOver(side, err, new(int)); stop != nil {
		return false, fmt.Errorf("look at %s as it is now: %w", ref, stop)
	}
	if err != nil {
		r.count("postponed", 1)
		r.noteUnread(side, ref, err)
		return false, nil
	}
	return true, nil
}

// ifBarred notes a record that may not be read; any other error is given back.
func (r *run) ifBarred(side record.Side, ref record.Ref, err error) error {
	if connectors.ClassOf(err) != connectors.Forbidden {
		return err
	}
	if err := r.passOver(side, err, nil); err != nil {
		return err
	}
	r.noteUnread(side, ref, err)
	return nil
}

// unverified deals with a record that could not be read before it was to be written:
// nothing was sent. It is noted, and the others are written.
func (r *run) unverified(a plan.Action, out apply.Outcome) {
	r.count("postponed", 1)
	if a.Change.Op == record.Create {
		r.note(a.Side.Other(), a.Source, record.Waiting, "its content can't be given now: "+out.Err.Error())
		return
	}
	r.note(a.Side, a.Change.Ref, record.Quarantined, "it can't be read before it is written: "+out.Err.Error())
}
