package trials

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
	run.TrialStore
	run.HaltStore
}

func storeOf(s *run.Stores) store {
	return store{s.EntryStore, s.Links, s.Marks, s.Answers, s.Sent, s.TrialStore, s.HaltStore}
}
