package decide

import (
	"nightporter/sync/run"
)

// store is what this room reaches of the state.
type store struct {
	run.EntryStore
	run.Strangers
	run.Links
	run.Marks
	run.Answers
	run.Meanings
	run.Sent
	run.History
	run.Whole
}

func storeOf(s *run.Stores) store {
	return store{s.EntryStore, s.Strangers, s.Links, s.Marks, s.Answers, s.Meanings, s.Sent, s.History, s.Whole}
}
