package run

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

// Patience is how many records a run may fail to read by id before the system itself counts as away, or
// as closed to it.
const Patience = 3

// Get reads one record by id. It also notes which paths the read showed, and whether the side lets
// records be read by id.
func (r *Run) Get(ctx context.Context, side record.Side, from connectors.Getter, ref record.Ref) (record.Record, error) {
	rec, err := from.Get(ctx, ref, connectors.Scope{})
	if err == nil && rec.Ref.ID != "" && rec.Ref.ID != ref.ID { // some answer with the record that it was merged into
		err = &connectors.Error{Class: connectors.Moved, Op: "get " + string(ref.Kind), Ref: rec.Ref}
	}
	if r.Trials.Read[side] == nil {
		r.Trials.Read[side] = map[string]bool{}
	}
	for _, p := range rec.Fields.Names() {
		r.Trials.Read[side][p] = true
	}
	answers := []connectors.ErrorClass{"", connectors.NotFound, connectors.OutOfScope, connectors.Moved}
	if class := connectors.ClassOf(err); class == connectors.Forbidden {
		r.Barred[side]++
	} else if slices.Contains(answers, class) {
		r.Readable[side] = true
	}
	return rec, err
}

// Closed says that a side lets none of its records be read by id.
func (r *Run) Closed(side record.Side) string {
	return fmt.Sprintf("%s lets no single %s be read with this key: give it the right to", r.Side(side).System, r.Side(side).Kind)
}

// NoteClosed notes a side of which no record could be read by id in this run.
func (r *Run) NoteClosed(side record.Side) {
	if r.Barred[side] > 0 && !r.Readable[side] {
		r.Note(side, record.Ref{Kind: r.Side(side).Kind}, record.Waiting, r.Closed(side))
	}
}

// NoteUnread notes a record that can't be read now.
func (r *Run) NoteUnread(side record.Side, ref record.Ref, err error) {
	r.Count(side.String()+".unread", 1)
	if errors.Is(err, ErrBehind) {
		r.Note(side, ref, record.Waiting, err.Error())
		return
	}
	r.Note(side, ref, record.Suspect, "it can't be read now: "+err.Error())
}

// Unverified notes a record that could not be read before a write. Nothing was sent, and all other
// records are written.
func (r *Run) Unverified(a plan.Action, out apply.Outcome) {
	r.Count("postponed", 1)
	if a.Change.Op == record.Create {
		r.Note(a.Side.Other(), a.Source, record.Waiting, "its content can't be given now: "+out.Err.Error())
		return
	}
	r.Note(a.Side, a.Change.Ref, record.Quarantined, "it can't be read before it is written: "+out.Err.Error())
}
