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

	Book       run.Book
	Doubtful   map[int64]string
	Facing     *run.Facing
	Left       map[int64]record.Rests
	Meeting    map[int64]string
	Open       map[int64]bool
	Orphaned   [2]time.Time
	Promised   map[int64]record.LinkID
	UnderNames [2]map[string][]run.Candidate
	Unjoined   [2][]run.Candidate
}

// New begins this part of a run.
func New(r *run.Run, refer *refer.Room, observe *observe.Room) *Room {
	return &Room{Run: r, store: storeOf(&r.Stores), refer: refer, observe: observe, Doubtful: map[int64]string{}, Meeting: map[int64]string{}, Open: map[int64]bool{}, Promised: map[int64]record.LinkID{}}
}
