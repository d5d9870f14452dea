package refer

import (
	"nightporter/sync/run"
)

// store is what this room reaches of the state.
type store struct {
	run.EntryStore
	run.Links
	run.Answers
	run.Meanings
	run.History
	run.Absences
}

func storeOf(s *run.Stores) store {
	return store{s.EntryStore, s.Links, s.Answers, s.Meanings, s.History, s.Absences}
}
