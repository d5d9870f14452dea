// Package refer finds whom a reference means.
package refer

import (
	"nightporter/sync/observe"
	"nightporter/sync/run"
)

// Room is what this package keeps during one run.
type Room struct {
	*run.Run
	store   store
	observe *observe.Room

	resolved map[string]run.Resolution // whom references mean, as this run found
}

// New begins this part of a run.
func New(r *run.Run, observe *observe.Room) *Room {
	return &Room{Run: r, store: storeOf(&r.Stores), observe: observe}
}
