// Package engine runs one job once: it settles what an earlier run left open, pulls both sides, pairs records,
// plans, and applies the plan, action by action.
//
// It keeps no queue of work. Work to do is what was observed and differs from the base it was settled on. So a run
// that is killed anywhere is simply followed by the next one.
package engine

import (
	"nightporter/sync/decide"
	"nightporter/sync/door"
	"nightporter/sync/findings"
	"nightporter/sync/gone"
	"nightporter/sync/guards"
	"nightporter/sync/links"
	"nightporter/sync/match"
	"nightporter/sync/observe"
	"nightporter/sync/proof"
	"nightporter/sync/run"
	"nightporter/sync/settle"
	"nightporter/sync/takeback"
	"nightporter/sync/trials"
	"nightporter/sync/trust"
)

// Room is what this package keeps during one run.
type Room struct {
	*run.Run
	store    store
	takeback *takeback.Room
	decide   *decide.Room
	door     *door.Room
	gone     *gone.Room
	links    *links.Room
	settle   *settle.Room
	trials   *trials.Room
	guards   *guards.Room
	proof    *proof.Room
	match    *match.Room
	observe  *observe.Room
	trust    *trust.Room
	findings *findings.Room

	failures []error      // of records that were asked for by name
	kicked   bool         // records were taken first in this run, before the plan was made or after
	later    []run.ToRead // records that were taken first, and put off until a list is read
}

// New begins this part of a run.
func New(r *run.Run, takeback *takeback.Room, decide *decide.Room, door *door.Room, gone *gone.Room, links *links.Room, settle *settle.Room, trials *trials.Room, guards *guards.Room, proof *proof.Room, match *match.Room, observe *observe.Room, trust *trust.Room, findings *findings.Room) *Room {
	return &Room{Run: r, store: storeOf(&r.Stores), takeback: takeback, decide: decide, door: door, gone: gone, links: links, settle: settle, trials: trials, guards: guards, proof: proof, match: match, observe: observe, trust: trust, findings: findings}
}
