// Package observe reads the two systems: whole lists, single records by their ids, and look-ups by keys. It stores
// what they show, and says what they don't show or what can't be known.
package observe

import (
	"context"
	"time"

	"nightporter/sync/record"
	"nightporter/sync/run"
	"nightporter/sync/trust"
)

// Room is what this package keeps during one run.
type Room struct {
	*run.Run
	store store
	trust *trust.Room

	Begun           [2]time.Time                  // start of the last complete list of this run, whole or of changes
	BetweenRequests func(context.Context) error   // called between requests: does what can't wait; set by the engine
	Failed          [2][]record.Ref               // records that failed for good, as their system says
	Finds           [2]map[string]run.Finding     // what is known of each way to look records up, by WayOf
	LastList        [2]*run.Showing               // what the last list showed; nil where sinkOf does not keep it
	Listed          [2][]run.Note                 // what was wrong with the last list
	LookedAgain     map[int64]bool                // entries read by id once more, because nobody could see their records
	OtherNow        map[int64]bool                // entries where the id now seems to name another record
	Restored        time.Time                     // when our state was put back to an older copy; zero if all is known
	Showed          [2]bool                       // a complete full list was begun in this run: what it shows is there
	Strays          bool                          // something was found that the plan did not know: the run plans again
	Unknowable      [2]bool                       // it has a record without a link, and what is kept of it is damaged
	Unread          map[run.Note]bool             // the notes in Unreads, so that none is added twice
	UnreadNow       map[int64]bool                // entries that this run had to read by id, and could not
	Unreads         []run.Note                    // notes about values that can't be read
	disagreed       map[string]bool               // by digest: actions that a system answered with "it was changed"
	ended           [2][]record.EndedScan         // the last full scans of each side; nil: to be asked for
	lacked          [2]map[record.Ref][]string    // the paths that the last read by id said are not there yet
	omitted         [2][]record.Entry             // linked records that a complete list did not show, and a read by id did
	unanswered      map[record.System]int         // how many of unnamable failed because the system gave no answer
	unnamable       map[namable]*run.UnnamedError // records that others name, and that could not be read
}

// New returns the room of one run.
func New(r *run.Run, trust *trust.Room) *Room {
	return &Room{Run: r, store: storeOf(&r.Stores), trust: trust, LookedAgain: map[int64]bool{}, OtherNow: map[int64]bool{}, Unread: map[run.Note]bool{}, UnreadNow: map[int64]bool{}}
}
