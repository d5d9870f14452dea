package findings

import (
	"nightporter/sync/run"
)

// store is what this room reaches of the state.
type store struct {
	run.EntryStore
	run.FindingStore
}

func storeOf(s *run.Stores) store {
	return store{s.EntryStore, s.FindingStore}
}
