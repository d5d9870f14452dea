// Package observe reads: lists, single records by their ids, look-ups by keys; and says what is not
// shown and cannot be told.
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

	Begun           [2]time.Time                  // when the last list of the side, whole or of what changed, was begun that was read to its end in this run
	BetweenRequests func(context.Context) error   // takes what can't wait: of the engine, above
	Failed          [2][]record.Ref               // of which their system says that they will never be what they should
	Finds           [2]map[string]run.Finding     // what is known of looking records up, by the fields that are asked for
	LastList        [2]*run.Showing               // what the last list of the side has shown, where creates can't be taken back
	Listed          [2][]run.Note                 // what the last lists had wrong with them
	LookedAgain     map[int64]bool                // records that nobody could see, and that were read by id once more
	OtherNow        map[int64]bool                // entries under whose id a system that was put back seems to have another record
	Restored        time.Time                     // when the state was put back to an older copy; zero for a state that knows all
	Showed          [2]bool                       // that list was begun in this run, too: what it showed was there just now
	Strays          bool                          // records were found that the plan did not know
	Unknowable      [2]bool                       // the side has a record without a link of which the store can't say what it holds
	Unread          map[run.Note]bool             // of Unreads, those noted already
	UnreadNow       map[int64]bool                // entries that were to be read by id in this run, and could not be
	Unreads         []run.Note                    // values that can't be read
	disagreed       map[string]bool               // actions of which a system said that their record was changed
	ended           [2][]record.EndedScan         // the last full scans of each side, once they were asked for
	lacked          [2]map[record.Ref][]string    // what the last reads by id said was not there yet
	omitted         [2][]record.Entry             // linked records that a complete list did not show, and a read of this run did
	unanswered      map[record.System]int         // how many of unnamable a system did not answer for
	unnamable       map[namable]*run.UnnamedError // records that others name, and that could not be read
}

// New begins this part of a run.
func New(r *run.Run, trust *trust.Room) *Room {
	return &Room{Run: r, store: storeOf(&r.Stores), trust: trust, LookedAgain: map[int64]bool{}, OtherNow: map[int64]bool{}, Unread: map[run.Note]bool{}, UnreadNow: map[int64]bool{}}
}
