package gone

import (
	"nightporter/sync/run"
)

// store is what this room reaches of the state.
type store struct {
	run.EntryStore
	run.Links
	run.Marks
	run.Answers
	run.Sent
	run.History
	run.Absences
	run.Verifies
}

func storeOf(s *run.Stores) store {
	return store{s.EntryStore, s.Links, s.Marks, s.Answers, s.Sent, s.History, s.Absences, s.Verifies}
}
