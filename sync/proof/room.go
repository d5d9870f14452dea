// Package proof makes sure that a side lacks a record before the record is created there.
package proof

import (
	"time"

	"nightporter/sync/match"
	"nightporter/sync/observe"
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

	Bears          map[int64][]string  // by entry to be created: the match rules by which its partner may be known across
	FirstSeen      map[int64]time.Time // by entry to be created: when it became known
	Looked         map[int64]bool      // linked records that a new one may be, and that were therefore read by id
	ToldByKeys     map[int64]run.Told  // records put aside that were read for their keys alone
	strange        [2][]run.Told       // records that took the id of another one, with their keys; nil: not read
	Unasked        map[int64][]string  // by entry to be created: those rules of Bears that nothing asks by
	Unfound        map[int64]error     // entries that could not be looked up on the other side, and why
	forgets        run.Forgets         // which records the first lists after the state was put back showed
	others         [2]*otherDays       // the list of all days, for creates without an answer; nil: not read
	triedIllegible [2]bool             // the side's listed records that nobody could read were read by id
}

// New returns the room of one run.
func New(r *run.Run, match *match.Room, refer *refer.Room, observe *observe.Room, trust *trust.Room) *Room {
	return &Room{Run: r, store: storeOf(&r.Stores), match: match, refer: refer, observe: observe, trust: trust, Bears: map[int64][]string{}, FirstSeen: map[int64]time.Time{}, Looked: map[int64]bool{}, ToldByKeys: map[int64]run.Told{}, Unasked: map[int64][]string{}, Unfound: map[int64]error{}}
}
