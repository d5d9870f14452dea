// Package match pairs records that have no link, and tells which of them may be one that a create
// without an answer has made.
package match

import (
	"time"

	"nightporter/sync/observe"
	"nightporter/sync/record"
	"nightporter/sync/refer"
	"nightporter/sync/run"
)

// Room is what this package keeps during one run.
type Room struct {
	*run.Run
	store   store
	refer   *refer.Room
	observe *observe.Room

	Doubtful   map[int64]string                   // entries that may be what an unanswered create made
	Facing     *run.Facing                        // the strangers of the plan that is being made; nil: none is
	Left       map[int64]record.Rests             // records without a link that persons left out: what they were asked
	Meeting    map[int64]string                   // creates without an answer that end once their source is linked, by source
	Open       map[int64]bool                     // entries with an intent that is not settled
	Orphaned   [2]time.Time                       // when the last record of a side was first seen that carries our mark and is unknown
	Promised   map[int64]record.LinkID            // strangers that links will go on with
	UnderNames [2]map[string][]run.Candidate      // of Unjoined, by what they would be told by if a name told the guest; nil: not read yet
	unlinked   [2]map[record.Key][]record.Entered // records of a side without a link, by keys that name others; nil: not read since the plan began
	Unjoined   [2][]run.Candidate                 // strangers that no rule joins
}

// BeginPlan forgets what was read for an earlier plan of the run.
func (r *Room) BeginPlan() { r.unlinked = [2]map[record.Key][]record.Entered{} }

// New begins this part of a run.
func New(r *run.Run, refer *refer.Room, observe *observe.Room) *Room {
	return &Room{Run: r, store: storeOf(&r.Stores), refer: refer, observe: observe, Doubtful: map[int64]string{}, Meeting: map[int64]string{}, Open: map[int64]bool{}, Promised: map[int64]record.LinkID{}}
}
