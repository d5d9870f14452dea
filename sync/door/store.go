package door

import (
	"nightporter/sync/apply"
	"nightporter/sync/run"
)

// store is the part of the state that this room uses.
type store struct {
	apply.Journal
	run.Bounds
	run.EntryStore
	run.Links
	run.Marks
	run.Sent
	run.History
	run.Absences
	run.RoomChecks
}

func storeOf(s *run.Stores) store {
	return store{s.Journal, s.Bounds, s.EntryStore, s.Links, s.Marks, s.Sent, s.History, s.Absences, s.RoomChecks}
}
