package record

import "time"

// Hold says why a change that may reach a person, such as a message, is not sent now.
type Hold struct {
	Rule  string    // the key of the configuration that says so: one of the Hold names
	Why   string    // a sentence
	Until time.Time // when the change may be sent; zero if that is not a matter of time
}

// The rules that hold a change.
const (
	HoldHours = "send_hours"
	HoldRate  = "most_an_hour"
	HoldNever = "never_to"
)

// KeptBack is a change that is held: the last run that reached it did not send it.
type KeptBack struct {
	Place  Place // the side that would be written
	Link   LinkID
	Entry  int64 // without a link: the entry of the record written or, for a create, of its source
	Op     Op
	Fields []string // the canonical fields that it would write; none for a create
	Since  time.Time
	Hold
}
