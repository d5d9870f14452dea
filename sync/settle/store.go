package settle

import (
	"nightporter/sync/apply"
	"nightporter/sync/run"
)

// store is what this room reaches of the state.
type store struct {
	apply.Journal
	run.EntryStore
	run.Strangers
	run.Links
	run.Marks
	run.Sent
	run.History
	run.Seen
	run.Absences
	run.RoomChecks
}

func storeOf(s *run.Stores) store {
	return store{s.Journal, s.EntryStore, s.Strangers, s.Links, s.Marks, s.Sent, s.History, s.Seen, s.Absences, s.RoomChecks}
}
