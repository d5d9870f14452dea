package guards

import (
	"nightporter/sync/apply"
	"nightporter/sync/run"
)

// store is what this room reaches of the state.
type store struct {
	apply.Journal
	run.EntryStore
	run.Marks
	run.Sent
	run.Kept
	run.StageStore
	run.History
}

func storeOf(s *run.Stores) store {
	return store{s.Journal, s.EntryStore, s.Marks, s.Sent, s.Kept, s.StageStore, s.History}
}
