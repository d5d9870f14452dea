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

	AsksToWait func(context.Context, plan.Action, apply.Outcome) error // the door sets it: ends the writes to such a side
	Words      map[int64][]string                                      // by source: fields its new record did not heed
	reread     [2]int                                                  // how often the side was read whole in this run for creates without an answer
	unknown    [2][]record.Intent                                      // creates of unknown fate when the plan was made
}

// New begins this part of a run.
func New(r *run.Run, trials *trials.Room, guards *guards.Room, proof *proof.Room, match *match.Room, refer *refer.Room, observe *observe.Room, trust *trust.Room) *Room {
	return &Room{Run: r, store: storeOf(&r.Stores), trials: trials, guards: guards, proof: proof, match: match, refer: refer, observe: observe, trust: trust, Words: map[int64][]string{}}
}
