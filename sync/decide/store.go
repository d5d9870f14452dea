package decide

import (
	"nightporter/sync/run"
)

// store is the part of the state that this room uses.
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
