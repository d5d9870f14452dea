package record

import (
	"slices"
	"time"
)

// TrialState is how far the trial of a write has come.
type TrialState string

// The states of a trial. Open, Answered and Harmed are not over: after a kill the next run ends them.
// Aside is not over either, and another trial takes its place.
// Back is not quite: its record is left alone until a read shows it as it settled.
const (
	TrialOpen     TrialState = "open"     // the record was read whole, and may have been written
	TrialAnswered TrialState = "answered" // it was written, and what that did is not known yet
	TrialHarmed   TrialState = "harmed"   // the write did more than was asked, and that is still to be put back
	TrialBack     TrialState = "back"     // stopped, and put back a moment ago
	TrialAside    TrialState = "aside"    // nobody can see what it did: its record can't be read
	TrialPassed   TrialState = "passed"   // it did what was asked, or a person let it be
	TrialStopped  TrialState = "stopped"  // it did more; no more such writes before the description changes or a person lets them
)

// Trial is the first write of an operation to a side since the description of its kind
// changed: one record, read whole before and after.
type Trial struct {
	Place     Place
	Op        Op
	Described string // a digest of the description
	Ref       Ref
	Sent      []string // native paths that were written
	Original  Fields   // the record before, by all paths that it showed; sealed where values are, nil once nothing of it is needed
	State     TrialState
	Found     []string // paths that the write changed unasked
	Left      []string // of them, what was not put back
	Listed    []string // paths of the original that lists alone showed: what became of them no read by id can tell
	Proved    []string // of updates: objects of which one showed that it keeps what stands beside in them; the record itself is "", AllPaths all of them
	Looks     int      // runs that could not see what it did
	At        time.Time
	Ended     time.Time
}

// LetGo reports whether a person let updates go on although one emptied what it was not sent.
func (t Trial) LetGo() bool {
	return t.State == TrialPassed && t.Op == Update && slices.Contains(t.Proved, AllPaths)
}

// Over reports whether nothing is to be found out or put back any more.
func (t Trial) Over() bool {
	return !t.State.Pending() && t.State != TrialHarmed && t.State != TrialAside
}

// Pending reports whether nobody has seen yet what the write did, or whether it was made.
func (s TrialState) Pending() bool { return s == TrialOpen || s == TrialAnswered }

// Stopped reports whether the trial was not passed.
func (t Trial) Stopped() bool { return t.State == TrialStopped || t.State == TrialBack }
