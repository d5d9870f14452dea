package story

import (
	"time"

	"nightporter/sync/record"
)

// Facts is all that is known of a record and of the one that it is linked to.
type Facts struct {
	Job     record.Binding
	Systems [2]record.System
	Asked   record.Side // the side of the record that was asked for
	Sides   [2]*Known   // nil: there is none that is known
	Link    Link
	Runs    map[int64]record.Run
	// Changes is what was written, or was to be written, to either record, oldest first.
	Changes   []Change
	Conflicts []record.Question // open and closed ones
	Alerts    []record.Alert
	Waits     []Wait
	Kept      []record.KeptBack // changes that are not sent now
	Traces    []Trace
	Apart     []string      // fields of words in which the two records say something else
	Digests   bool          // values in the journal are kept as digests
	Keeps     time.Duration // how long the journal remembers; 0: for ever
	PutBack   bool          // the state was put back to an older copy, and the sides were not compared since
	Now       time.Time
	Zone      *time.Location
}

// Link is what both records share; the zero one is none.
type Link struct {
	ID    record.LinkID
	State record.LinkState
	Made  time.Time
}

// Known is what is known of one record.
type Known struct {
	Entry  record.Entry
	Fields record.Fields // what it was last seen to hold, under the names that lines have
	Sent   []string      // fields that were written, and that no read has shown since: they are not in Fields
	// ChangedBy is who changed it last, as its system shows it; "" where that is not known.
	ChangedBy string
	// Trial is one of it that is not over, nil for none: what it shows since may be our own write's doing.
	Trial  *record.Trial
	Edited []string // fields that were seen to differ from what was settled, and were not carried over
	// Unreadable says which of its fields can't be read, and why.
	Unreadable []string
}

// Change is one change of the journal.
type Change struct {
	ID      string
	Run     int64
	Side    record.Side // that was written to
	Op      record.Op
	Ref     record.Ref
	State   record.IntentState
	Reason  string
	Lines   []Line
	Made    time.Time
	SentAt  time.Time
	EndedAt time.Time
	Tries   int
	Error   string
	Class   string
	Adopted bool // found done by a look-up, not answered
}

// Line is one field of a change.
type Line struct {
	Field  string
	Before record.Value
	After  record.Value
	Loser  record.Value // what somebody had meant and was written over
	Rule   string
	Why    string
	Chosen bool // by a person
}

// Wait is a record that another waits for.
type Wait struct {
	Side record.Side // of the record that waits
	For  record.Ref
	In   record.System
}

// Trace is what else was noted of a record: a staged change, that a person had what was
// refused asked again, that it is gone.
type Trace struct {
	At   time.Time
	Kind string // one of the Trace names
	Side record.Side
	Run  int64
	Why  string
	Name string    // staged: the digest to approve it by; asked again: by whom
	Till time.Time // asked again: when a person wanted to hear no more of it
	Over bool      // it holds no more

	Decision record.Choice // staged: what a person said
	By       string        // staged: who that was
}

// The kinds of traces.
const (
	Staged     = "staged"
	Forgiven   = "asked again"
	Tombstone  = "gone"
	Quarantine = "quarantined"
)
