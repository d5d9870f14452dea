// Package trust tells whether a system is the one that we know: the account, a sample of its records,
// whether it was put back to an older copy, and the halts that a job stands before.
package trust

import (
	"time"

	"nightporter/sync/findings"
	"nightporter/sync/pull"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// Room is what this package keeps during one run.
type Room struct {
	*run.Run
	store    store
	findings *findings.Room

	Drawn        [2][]record.Ref    // some of the known records that the last list showed
	EarlierParts [2]run.PartsSeen   // what earlier runs noticed of that list, which they read in part
	Examined     bool               // the lists were looked at, or this run reads none
	KeptHalts    []record.Question  // halts that stay open and do not stop this run
	Newest       [2][]record.Newest // of the records that the last list showed new or changed, those changed last
	Noticed      [2]pull.Noticed    // what the rows of the last list say of the list itself
	OpenHalts    []record.Question  // halts that were open when the run began
	Rewrite      [2]time.Time       // when the copy was found, if the side is to be written once more; else zero
	Rows         [2]int             // how many records the last list showed
	Scanned      [2]bool            // this run has ended a complete full scan of the side
	ShownBy      [2]bool            // the list showed the records that we know
	holding      [2]bool            // it was noted that writes to the side are held
	lately       [2]*lately         // nil: not asked yet
	noted        [2]bool            // what the older copy of the side shows was noted
	proven       [2]bool            // the side answered as the one we know
	refound      [2]bool            // enough linked records were read by id and are the ones we know
	unnamed      [2]error           // why a side could not be asked which account it is
}

// New begins this part of a run.
func New(r *run.Run, findings *findings.Room) *Room {
	return &Room{Run: r, store: storeOf(&r.Stores), findings: findings}
}
