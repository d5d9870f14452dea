package run

import (
	"context"

	"nightporter/sync/plan/undo"
	"nightporter/sync/record"
)

// Undo says what a run is to take back: what another run of its job did, to all
// records or to one and its partner.
type Undo struct {
	Run  int64       `json:"run"`
	Side record.Side `json:"side,omitempty"`
	Ref  record.Ref  `json:"ref,omitzero"` // zero: all records
}

// UndoReport is what an undo came to, or would come to, beside its actions.
type UndoReport struct {
	Run       int64 // the run that was undone
	Conflicts []undo.Conflict
	Beyond    []undo.Beyond
	Already   int // changes with nothing left to be taken back
}

// Undos is what an undo reads from the journal, and notes there.
type Undos interface {
	// Run is a run by its number.
	Run(ctx context.Context, id int64) (record.Run, bool, error)
	// MadeIn returns the changes of a run, oldest first.
	MadeIn(ctx context.Context, b record.Binding, run int64) ([]record.Journaled, error)
	// MadeSince returns the changes that later runs made on one side of a link.
	MadeSince(ctx context.Context, link record.LinkID, side record.Side, run int64) ([]record.Journaled, error)
	// Undoes notes which run this one takes back.
	Undoes(ctx context.Context, l record.Lease, run int64) error
}
