package links

import (
	"nightporter/sync/run"
)

// store is what this room reaches of the state.
type store struct {
	run.EntryStore
	run.Links
	run.Marks
	run.Answers
	run.StageStore
	run.History
	run.Absences
	run.RoomChecks
	run.RereadStore
	run.Undos
	run.Verifies
}

func storeOf(s *run.Stores) store {
	return store{s.EntryStore, s.Links, s.Marks, s.Answers, s.StageStore, s.History, s.Absences, s.RoomChecks, s.RereadStore, s.Undos, s.Verifies}
}
