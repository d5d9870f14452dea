// Package decide makes the plan of a run: links that differ, records without a link, and what is kept
// of both in the store.
package decide

import (
	"nightporter/sync/door"
	"nightporter/sync/findings"
	"nightporter/sync/gone"
	"nightporter/sync/guards"
	"nightporter/sync/links"
	"nightporter/sync/match"
	"nightporter/sync/observe"
	"nightporter/sync/proof"
	"nightporter/sync/record"
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
	door     *door.Room
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

	saidBy   [2]map[record.Ref]record.Ref // the other way round
	saidSame [2]map[record.Ref]record.Ref // which record across a person said that one is
	saidWord [2]map[record.Ref]string     // that a person said to make one, or to leave it out, where that was not done yet
}

// New begins this part of a run.
func New(r *run.Run, door *door.Room, gone *gone.Room, links *links.Room, settle *settle.Room, trials *trials.Room, guards *guards.Room, proof *proof.Room, match *match.Room, refer *refer.Room, observe *observe.Room, trust *trust.Room, findings *findings.Room) *Room {
	return &Room{Run: r, store: storeOf(&r.Stores), door: door, gone: gone, links: links, settle: settle, trials: trials, guards: guards, proof: proof, match: match, refer: refer, observe: observe, trust: trust, findings: findings}
}
