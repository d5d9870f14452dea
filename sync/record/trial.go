package record

import (
	"slices"
	"time"
)

// TrialState is how far the trial of a write has come.
type TrialState string

// The states of a trial. In TrialOpen, TrialAnswered and TrialHarmed the trial is not over: after a kill the
// next run ends it. A trial in TrialAside is not over either, and another trial takes its place. A trial in
// TrialBack is not quite over: its record is left alone until a read shows it after the settle time.
const (
	TrialOpen     TrialState = "open"     // the record was read whole, and may have been written
	TrialAnswered TrialState = "answered" // the record was written, and what that did is not known yet
	TrialHarmed   TrialState = "harmed"   // the write did more than was asked, and that is still to be put back
	TrialBack     TrialState = "back"     // the trial was stopped, and the record put back a moment ago
	TrialAside    TrialState = "aside"    // nobody can see what the write did: its record can't be read
	TrialPassed   TrialState = "passed"   // the write did what was asked, or a person let it be
	TrialStopped  TrialState = "stopped"  // it did more: no such writes until the description changes or a person agrees
)

// Trial is the first write of an operation to a side since the description of its kind
// changed: one record, read whole before and after.
type Trial struct {
	Place     Place
	Op        Op
	Described string // a digest of the kind's description
	Ref       Ref
	Sent      []string // native paths that were written
	Original  Fields   // all that the record showed before; sealed if values are; nil once not needed
	State     TrialState
	Found     []string // paths that the write changed unasked
	Left      []string // those of Found that were not put back
	Listed    []string // paths of Original that only lists showed: no read by id tells what became of them
	Proved    []string // objects in which an update kept all that it did not send; "" is the record, AllPaths all
	Looks     int      // runs that could not see what the write did
	At        time.Time
	Ended     time.Time
}

// LetGo reports whether a person let updates go on although one of them emptied fields that it did not send.
func (t Trial) LetGo() bool {
	return t.State == TrialPassed && t.Op == Update && slices.Contains(t.Proved, AllPaths)
}

// Over reports whether nothing is left to be found out or put back.
func (t Trial) Over() bool {
	return !t.State.Pending() && t.State != TrialHarmed && t.State != TrialAside
}

// Pending reports whether nobody has seen yet if the write was made, and what it did.
func (s TrialState) Pending() bool { return s == TrialOpen || s == TrialAnswered }

// Stopped reports whether the trial ended and was not passed.
func (t Trial) Stopped() bool { return t.State == TrialStopped || t.State == TrialBack }
