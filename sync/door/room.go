// Package door is the one way out of the engine: it makes sure of what must hold, sends one action, and says what
// the outcome means for the run.
package door

import (
	"time"

	"nightporter/sync/findings"
	"nightporter/sync/gone"
	"nightporter/sync/guards"
	"nightporter/sync/links"
	"nightporter/sync/match"
	"nightporter/sync/observe"
	"nightporter/sync/proof"
	"nightporter/sync/refer"
	"nightporter/sync/run"
	"nightporter/sync/settle"
	"nightporter/sync/trials"
	"nightporter/sync/trust"
)

// Room is what this package keeps during one run.
type Room struct {
	*run.Run
	store    store
	gone     *gone.Room
	links    *links.Room
	settle   *settle.Room
	trials   *trials.Room
	guards   *guards.Room
	proof    *proof.Room
	match    *match.Room
	refer    *refer.Room
	observe  *observe.Room
	trust    *trust.Room
	findings *findings.Room

	Entered time.Time // when the last booking of this run was entered
	Whole   bool      // both sides were read whole since the state was put back, when the creates were planned
}

// New begins this part of a run.
func New(r *run.Run, gone *gone.Room, links *links.Room, settle *settle.Room, trials *trials.Room, guards *guards.Room, proof *proof.Room, match *match.Room, refer *refer.Room, observe *observe.Room, trust *trust.Room, findings *findings.Room) *Room {
	return &Room{Run: r, store: storeOf(&r.Stores), gone: gone, links: links, settle: settle, trials: trials, guards: guards, proof: proof, match: match, refer: refer, observe: observe, trust: trust, findings: findings}
}
