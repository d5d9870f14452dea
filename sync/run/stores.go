package run

import (
	"nightporter/sync/apply"
)

// store is what this room reaches of the state.
type store struct {
	apply.Journal
	Bounds
	EntryStore
	Links
	Marks
	Answers
	History
	Seen
	Absences
}

func storeOf(s *Stores) store {
	return store{s.Journal, s.Bounds, s.EntryStore, s.Links, s.Marks, s.Answers, s.History, s.Seen, s.Absences}
}
