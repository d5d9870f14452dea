// Package findings keeps why a record is not written as it should be, from the run that noticed it
// to the one in which it is over.
package findings

import (
	"nightporter/sync/run"
)

// Room is what this package keeps during one run.
type Room struct {
	*run.Run
	store store

	SaidNo  run.Refusals // values that systems refused
	Stopped [2]string    // why nothing more is written to a side
}

// New begins this part of a run.
func New(r *run.Run) *Room {
	return &Room{Run: r, store: storeOf(&r.Stores)}
}
