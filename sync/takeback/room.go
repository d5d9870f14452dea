// Package takeback takes back what an earlier run did, and compares both sides without writing.
package takeback

import (
	"nightporter/sync/decide"
	"nightporter/sync/door"
	"nightporter/sync/findings"
	"nightporter/sync/gone"
	"nightporter/sync/guards"
	"nightporter/sync/links"
	"nightporter/sync/match"
	"nightporter/sync/observe"
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
	decide   *decide.Room
	door     *door.Room
	gone     *gone.Room
	links    *links.Room
	settle   *settle.Room
	trials   *trials.Room
	guards   *guards.Room
	match    *match.Room
	refer    *refer.Room
	observe  *observe.Room
	trust    *trust.Room
	findings *findings.Room
}

// New begins this part of a run.
func New(r *run.Run, decide *decide.Room, door *door.Room, gone *gone.Room, links *links.Room, settle *settle.Room, trials *trials.Room, guards *guards.Room, match *match.Room, refer *refer.Room, observe *observe.Room, trust *trust.Room, findings *findings.Room) *Room {
	return &Room{Run: r, store: storeOf(&r.Stores), decide: decide, door: door, gone: gone, links: links, settle: settle, trials: trials, guards: guards, match: match, refer: refer, observe: observe, trust: trust, findings: findings}
}
