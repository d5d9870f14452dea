package proof

import (
	"nightporter/sync/run"
)

// store holds the methods of the state that this room needs.
type store struct {
	run.Bounds
	run.EntryStore
	run.Strangers
	run.Links
	run.Marks
	run.Sent
}

func storeOf(s *run.Stores) store {
	return store{s.Bounds, s.EntryStore, s.Strangers, s.Links, s.Marks, s.Sent}
}
