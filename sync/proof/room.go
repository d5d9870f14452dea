// Package proof makes sure that a side lacks a record before it is made there.
package proof

import (
	"time"

	"nightporter/sync/match"
	"nightporter/sync/observe"
	"nightporter/sync/record"
	"nightporter/sync/refer"
	"nightporter/sync/run"
	"nightporter/sync/trust"
)

// Room is what this package keeps during one run.
type Room struct {
	*run.Run
	store   store
	match   *match.Room
	refer   *refer.Room
	observe *observe.Room
	trust   *trust.Room

	Bears          map[int64][]string  // the match rules by which entries that may be created may be known across
	FirstSeen      map[int64]time.Time // when entries that may be created became known
	Looked         map[int64]bool      // linked records that a new one may be, and that were read by id for that
	ToldByKeys     map[int64]run.Told  // what is put aside, and was read for its keys alone
	strange        [2][]run.Told       // records of the side that took an id of another one, by their keys; nil: not read
	unknownNow     [2]record.Ref       // a record of the side that is another one than was linked under its id, and was not read since
	Unasked        map[int64][]string  // of the rules of Bears, the ones that nothing asks by
	Unfound        map[int64]error     // entries that could not be looked up on the other side
	forgets        run.Forgets         // when the first lists after the state was put back were read
	others         [2]*otherDays       // the list of all days, for creates without an answer; nil: not read
	triedIllegible [2]bool             // what that side lists and nobody could read was read by id
}

// New begins this part of a run.
func New(r *run.Run, match *match.Room, refer *refer.Room, observe *observe.Room, trust *trust.Room) *Room {
	return &Room{Run: r, store: storeOf(&r.Stores), match: match, refer: refer, observe: observe, trust: trust, Bears: map[int64][]string{}, FirstSeen: map[int64]time.Time{}, Looked: map[int64]bool{}, ToldByKeys: map[int64]run.Told{}, Unasked: map[int64][]string{}, Unfound: map[int64]error{}}
}
