package observe

import (
	"nightporter/sync/pull"
	"nightporter/sync/run"
)

// store holds the methods of the state that this room needs.
type store struct {
	pull.Sink
	run.EntryStore
	run.Links
	run.Marks
	run.Sent
	run.History
	run.Seen
	run.Absences
}

func storeOf(s *run.Stores) store {
	return store{s.Sink, s.EntryStore, s.Links, s.Marks, s.Sent, s.History, s.Seen, s.Absences}
}
