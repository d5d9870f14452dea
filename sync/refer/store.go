package refer

import (
	"nightporter/sync/run"
)

// store holds the methods of the state that this room needs.
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
