package record

import "time"

// Hold is why a change that may reach a person is not sent now.
type Hold struct {
	Rule  string    // the key of the configuration that says so: one of the Hold names
	Why   string    // a sentence
	Until time.Time // when it may be sent; zero where that is not a matter of time
}

// The rules that hold a change.
const (
	HoldHours = "send_hours"
	HoldRate  = "most_an_hour"
	HoldNever = "never_to"
)

// KeptBack is a change that the last run that came to it did not send.
type KeptBack struct {
	Place  Place // that would be written
	Link   LinkID
	Entry  int64 // without a link: of the record written or, for a create, of the one it is made from
	Op     Op
	Fields []string // the canonical fields that it would write; of a create none is named
	Since  time.Time
	Hold
}
