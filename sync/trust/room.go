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

	Drawn        [2][]record.Ref
	EarlierParts [2]run.PartsSeen
	Examined     bool
	KeptHalts    []record.Question
	Newest       [2][]record.Newest
	Noticed      [2]pull.Noticed
	OpenHalts    []record.Question
	Rewrite      [2]time.Time
	Rows         [2]int
	Scanned      [2]bool
	ShownBy      [2]bool
	holding      [2]bool
	lately       [2]*lately
	noted        [2]bool
	proven       [2]bool
	refound      [2]bool
	unnamed      [2]error
}

// New begins this part of a run.
func New(r *run.Run, findings *findings.Room) *Room {
	return &Room{Run: r, store: storeOf(&r.Stores), findings: findings}
}
