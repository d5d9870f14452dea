package takeback

import (
	"nightporter/sync/run"
)

// store is the part of the state that this room uses.
type store struct {
	run.EntryStore
	run.Links
	run.Answers
	run.Sent
	run.Undos
	run.Verifies
}

func storeOf(s *run.Stores) store {
	return store{s.EntryStore, s.Links, s.Answers, s.Sent, s.Undos, s.Verifies}
}
