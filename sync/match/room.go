// Package match pairs records that have no link, and tells which of them may be what a create without an answer has
// made.
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

	Doubtful   map[int64]string                   // entries that may be what an unanswered create made, with a sentence
	Facing     *run.Facing                        // records without a link of the current plan; nil: no plan is being made
	Left       map[int64]record.Rests             // records without a link that persons left out: what they were asked
	Meeting    map[int64]string                   // by source: an unanswered create that ends once the source is linked
	Open       map[int64]bool                     // entries with an intent that is not settled
	Orphaned   [2]time.Time                       // when the last orphan was first seen: our mark, and of unknown origin
	Promised   map[int64]record.LinkID            // entries without a link that links will go on with
	UnderNames [2]map[string][]run.Candidate      // Unjoined by their keys with the guest's name; nil: not read yet
	unlinked   [2]map[record.Key][]record.Entered // records without a link by keys that name others; nil: not read
	Unjoined   [2][]run.Candidate                 // records without a link that no rule joins
}

// BeginPlan forgets what was read for an earlier plan of the run.
func (r *Room) BeginPlan() { r.unlinked = [2]map[record.Key][]record.Entered{} }

// New returns the room of one run.
func New(r *run.Run, refer *refer.Room, observe *observe.Room) *Room {
	return &Room{Run: r, store: storeOf(&r.Stores), refer: refer, observe: observe, Doubtful: map[int64]string{}, Meeting: map[int64]string{}, Open: map[int64]bool{}, Promised: map[int64]record.LinkID{}}
}
