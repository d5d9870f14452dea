// Package refer finds which record a reference means, such as the guest that a booking names.
package refer

import (
	"nightporter/sync/observe"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// Room is what this package keeps during one run.
type Room struct {
	*run.Run
	store   store
	observe *observe.Room

	resolved map[string]run.Resolution // what references mean, as this run found
	said     map[record.Wait]Said      // what systems said of records that no list showed, when they were asked in this run
}

// New returns the room of one run.
func New(r *run.Run, observe *observe.Room) *Room {
	return &Room{Run: r, store: storeOf(&r.Stores), observe: observe}
}
