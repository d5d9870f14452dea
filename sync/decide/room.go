// Package decide makes the plan of a run: it decides links that differ and records without a link, and stores what
// is settled about both.
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

	saidBy   [2]map[record.Ref]record.Ref // saidSame the other way round: from the record across
	saidSame [2]map[record.Ref]record.Ref // the record across that a person said a record is
	saidWord [2]map[record.Ref]string     // "create" or "leave", as a person said of a record, and it was not done yet
}

// New begins this part of a run.
func New(r *run.Run, door *door.Room, gone *gone.Room, links *links.Room, settle *settle.Room, trials *trials.Room, guards *guards.Room, proof *proof.Room, match *match.Room, refer *refer.Room, observe *observe.Room, trust *trust.Room, findings *findings.Room) *Room {
	return &Room{Run: r, store: storeOf(&r.Stores), door: door, gone: gone, links: links, settle: settle, trials: trials, guards: guards, proof: proof, match: match, refer: refer, observe: observe, trust: trust, findings: findings}
}
