package story

import (
	"time"

	"nightporter/sync/record"
)

// Facts holds everything that is known of a record and of the record to which it is linked.
type Facts struct {
	Job     record.Binding
	Systems [2]record.System
	Asked   record.Side // the side of the record that was asked for
	Sides   [2]*Known   // nil: no record of this side is known
	Link    Link
	Runs    map[int64]record.Run
	// Changes are the changes that were sent, or were to be sent, to either record, oldest first.
	Changes   []Change
	Conflicts []record.Question // open and closed ones
	Alerts    []record.Alert
	Waits     []Wait
	Kept      []record.KeptBack // changes that are not sent now
	Traces    []Trace
	Apart     []string      // enum fields in which the two records say something different
	Digests   bool          // values in the journal are kept as digests
	Keeps     time.Duration // how long the journal is kept; 0: for ever
	PutBack   bool          // the state was put back to an older copy, and the sides were not compared since
	Now       time.Time
	Zone      *time.Location
}

// Link is the link of both records. The zero Link means that there is none.
type Link struct {
	ID    record.LinkID
	State record.LinkState
	Made  time.Time
}

// Known holds what is known of one record.
type Known struct {
	Entry  record.Entry
	Fields record.Fields // what the record was last seen to hold, by the same names as in Line.Field
	Sent   []string      // fields that were written and not read since: they are not in Fields
	// ChangedBy is the person who changed the record last, as its system shows it; "" if not known.
	ChangedBy string
	// Trial is the trial of the record that is not over yet, nil if there is none. Our own write may have
	// caused anything that the record shows since the trial.
	Trial  *record.Trial
	Edited []string // fields that were seen to differ from the base, and were not carried over
	// Unreadable has a sentence for each field that can't be read: which field, and why.
	Unreadable []string
}

// Change is one change of the journal.
type Change struct {
	ID      string
	Run     int64
	Side    record.Side // the side that it writes to
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
	Adopted bool // no answer came, and a look-up found the change done
}

// Line is one field of a change.
type Line struct {
	Field  string
	Before record.Value
	After  record.Value
	Loser  record.Value // a value that somebody had entered, and that the change wrote over
	Rule   string
	Why    string
	Chosen bool // a person chose the value
}

// Wait says for which record another record waits.
type Wait struct {
	Side record.Side // the side of the record that waits
	For  record.Ref
	In   record.System
}

// Trace is something else that was noted of a record: a guard held its change back, a person let a system
// be asked again after it had refused, the record is gone, or it could not be read.
type Trace struct {
	At   time.Time
	Kind string // Staged, Forgiven, Tombstone or Quarantine
	Side record.Side
	Run  int64
	Why  string
	Name string    // Staged: the digest by which to approve the change; Forgiven: who had it asked again
	Till time.Time // Forgiven: when a person said that they want to hear no more of it; zero: nobody did
	Over bool      // it is not true any more

	Decision record.Choice // Staged: what a person decided
	By       string        // Staged: who decided it
}

// The kinds of traces.
const (
	Staged     = "staged"
	Forgiven   = "asked again"
	Tombstone  = "gone"
	Quarantine = "quarantined"
)
