// Package trials sends the first write of each operation as a trial, and looks what that write did.
package trials

import (
	"nightporter/sync/apply"
	"nightporter/sync/observe"
	"nightporter/sync/run"
	"nightporter/sync/trust"
)

// Room is what this package keeps during one run.
type Room struct {
	*run.Run
	store   store
	observe *observe.Room
	trust   *trust.Room

	Door func() *apply.Applier // applies one change; the room door, which is above this one, sets it
}

// New begins this part of a run.
func New(r *run.Run, observe *observe.Room, trust *trust.Room) *Room {
	return &Room{Run: r, store: storeOf(&r.Stores), observe: observe, trust: trust}
}
