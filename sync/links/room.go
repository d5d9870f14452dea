// Package links gathers what a link is decided by: both sides, what persons chose, what was put back
// or done again.
package links

import (
	"nightporter/sync/guards"
	"nightporter/sync/match"
	"nightporter/sync/observe"
	"nightporter/sync/record"
	"nightporter/sync/refer"
	"nightporter/sync/run"
	"nightporter/sync/trust"
)

// Room is what this package keeps during one run.
type Room struct {
	*run.Run
	store   store
	guards  *guards.Room
	match   *match.Room
	refer   *refer.Room
	observe *observe.Room
	trust   *trust.Room

	always run.OnceForAll   // what persons decided once and for all
	anew   [2][]record.Anew // of a dry run: paths that count in no base, since their fields are read in another way
}

// New begins this part of a run.
func New(r *run.Run, guards *guards.Room, match *match.Room, refer *refer.Room, observe *observe.Room, trust *trust.Room) *Room {
	return &Room{Run: r, store: storeOf(&r.Stores), guards: guards, match: match, refer: refer, observe: observe, trust: trust}
}
