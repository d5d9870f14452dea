// Package gone decides what becomes of a link with a record that is not there any more.
package gone

import (
	"nightporter/sync/findings"
	"nightporter/sync/links"
	"nightporter/sync/match"
	"nightporter/sync/observe"
	"nightporter/sync/record"
	"nightporter/sync/refer"
	"nightporter/sync/run"
	"nightporter/sync/settle"
	"nightporter/sync/trust"
)

// Room is what this package keeps during one run.
type Room struct {
	*run.Run
	store    store
	links    *links.Room
	settle   *settle.Room
	match    *match.Room
	refer    *refer.Room
	observe  *observe.Room
	trust    *trust.Room
	findings *findings.Room

	Absences  map[record.LinkID]run.Absence // links of which a record is gone, as this run decided them
	Back      map[int64]string              // strangers that were gone and are there again
	OfJob     func(*run.Job) *Room          // this room of another job
	Strayed   []run.ToRead                  // records that lost their partner, or got another one, and were not decided since
	Undeleted [2]string                     // why nothing more is deleted on a side
	alone     [2]*bool                      // whether no linked record of a side is there; nil: not asked yet
	namers    [2]namers                     // who names the records of that side in other jobs
}

// New begins this part of a run.
func New(r *run.Run, links *links.Room, settle *settle.Room, match *match.Room, refer *refer.Room, observe *observe.Room, trust *trust.Room, findings *findings.Room) *Room {
	return &Room{Run: r, store: storeOf(&r.Stores), links: links, settle: settle, match: match, refer: refer, observe: observe, trust: trust, findings: findings, Absences: map[record.LinkID]run.Absence{}}
}
