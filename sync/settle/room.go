// Package settle finds out what became of changes that were sent and never answered.
package settle

import (
	"context"

	"nightporter/sync/apply"
	"nightporter/sync/guards"
	"nightporter/sync/match"
	"nightporter/sync/observe"
	"nightporter/sync/plan"
	"nightporter/sync/proof"
	"nightporter/sync/record"
	"nightporter/sync/refer"
	"nightporter/sync/run"
	"nightporter/sync/trials"
	"nightporter/sync/trust"
)

// Room is what this package keeps during one run.
type Room struct {
	*run.Run
	store   store
	trials  *trials.Room
	guards  *guards.Room
	proof   *proof.Room
	match   *match.Room
	refer   *refer.Room
	observe *observe.Room
	trust   *trust.Room

	AsksToWait func(context.Context, plan.Action, apply.Outcome) error // ends the writes to a side that asks to wait: of the door, above
	Words      map[int64][]string                                      // fields that new records made from entries did not heed
	reread     [2]int                                                  // how often the side was read whole in this run for creates without an answer
	unknown    [2][]record.Intent                                      // creates of which nobody knows what became, when it was planned
}

// New begins this part of a run.
func New(r *run.Run, trials *trials.Room, guards *guards.Room, proof *proof.Room, match *match.Room, refer *refer.Room, observe *observe.Room, trust *trust.Room) *Room {
	return &Room{Run: r, store: storeOf(&r.Stores), trials: trials, guards: guards, proof: proof, match: match, refer: refer, observe: observe, trust: trust, Words: map[int64][]string{}}
}
