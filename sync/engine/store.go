package engine

import (
	"nightporter/sync/run"
)

// store is the part of the state that this room uses.
type store struct {
	run.Bounds
	run.EntryStore
	run.Strangers
	run.Links
	run.Marks
	run.Meanings
	run.Sent
	run.History
	run.FindingStore
	run.Whole
}

func storeOf(s *run.Stores) store {
	return store{s.Bounds, s.EntryStore, s.Strangers, s.Links, s.Marks, s.Meanings, s.Sent, s.History, s.FindingStore, s.Whole}
}
