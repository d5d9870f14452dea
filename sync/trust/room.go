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
	EarlierParts [2]run.PartsSeen   // what those rows of Noticed say that earlier runs had read
	Examined     bool               // what the lists show was looked at, or no list is read
	KeptHalts    []record.Question  // answered, and still so: they stay open and stop nothing
	Newest       [2][]record.Newest // those of the known records that were changed last
	Noticed      [2]pull.Noticed    // what the rows of its list say of the list
	OpenHalts    []record.Question  // halts that were open when it began
	Rewrite      [2]time.Time       // since when the side, which was put back, gets once more what the other holds; zero for not
	Rows         [2]int             // how many records its list showed
	Scanned      [2]bool            // a complete full scan of the side was ended in this run
	ShownBy      [2]bool            // the list showed the records that we know
	holding      [2]bool            // it was noted that writes to the side are held
	lately       [2]*lately         // nil: not asked yet
	noted        [2]bool            // what the copy shows that it was put back to was noted
	proven       [2]bool            // the side answered as the one we know
	refound      [2]bool            // its linked records were read by id, and are the ones we know
	unnamed      [2]error           // why a side could not be asked which account it is
}

// New begins this part of a run.
func New(r *run.Run, findings *findings.Room) *Room {
	return &Room{Run: r, store: storeOf(&r.Stores), findings: findings}
}
