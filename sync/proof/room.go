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

	Bears          map[int64][]string
	FirstSeen      map[int64]time.Time
	Looked         map[int64]bool
	ToldByKeys     map[int64]run.Told
	strange        [2][]run.Told
	unknownNow     [2]record.Ref
	Unasked        map[int64][]string
	Unfound        map[int64]error
	forgets        run.Forgets
	others         [2]*otherDays
	triedIllegible [2]bool
}

// New begins this part of a run.
func New(r *run.Run, match *match.Room, refer *refer.Room, observe *observe.Room, trust *trust.Room) *Room {
	return &Room{Run: r, store: storeOf(&r.Stores), match: match, refer: refer, observe: observe, trust: trust, Bears: map[int64][]string{}, FirstSeen: map[int64]time.Time{}, Looked: map[int64]bool{}, ToldByKeys: map[int64]run.Told{}, Unasked: map[int64][]string{}, Unfound: map[int64]error{}}
}
