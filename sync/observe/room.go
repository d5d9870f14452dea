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

	Begun           [2]time.Time
	BetweenRequests func(context.Context) error
	Failed          [2][]record.Ref
	Finds           [2]map[string]run.Finding
	LastList        [2]*run.Showing
	Listed          [2][]run.Note
	LookedAgain     map[int64]bool
	OtherNow        map[int64]bool
	Restored        time.Time
	Showed          [2]bool
	Strays          bool
	Unknowable      [2]bool
	Unread          map[run.Note]bool
	UnreadNow       map[int64]bool
	Unreads         []run.Note
	disagreed       map[string]bool
	ended           [2][]record.EndedScan
	lacked          [2]map[record.Ref][]string
	omitted         [2][]record.Entry
	unanswered      map[record.System]int
	unnamable       map[namable]*run.UnnamedError
}

// New begins this part of a run.
func New(r *run.Run, trust *trust.Room) *Room {
	return &Room{Run: r, store: storeOf(&r.Stores), trust: trust, LookedAgain: map[int64]bool{}, OtherNow: map[int64]bool{}, Unread: map[run.Note]bool{}, UnreadNow: map[int64]bool{}}
}
