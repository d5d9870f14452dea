package match

import (
	"nightporter/sync/run"
)

// store is what this room reaches of the state.
type store struct {
	run.RunStore
	run.EntryStore
	run.Strangers
	run.Links
	run.Sent
	run.History
	run.Absences
}

func storeOf(s *run.Stores) store {
	return store{s.RunStore, s.EntryStore, s.Strangers, s.Links, s.Sent, s.History, s.Absences}
}
