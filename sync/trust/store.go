package trust

import (
	"nightporter/sync/run"
)

// store is what this room reaches of the state.
type store struct {
	run.Bounds
	run.EntryStore
	run.Links
	run.Sent
	run.History
	run.HaltStore
	run.Seen
	run.Copies
}

func storeOf(s *run.Stores) store {
	return store{s.Bounds, s.EntryStore, s.Links, s.Sent, s.History, s.HaltStore, s.Seen, s.Copies}
}
