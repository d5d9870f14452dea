package run

import (
	"slices"

	"nightporter/sync/record"
)

// AsSettled reports whether a value is the one that a base has; empty is empty.
func (r *Run) AsSettled(base record.Stored, v record.Value) bool {
	if base.Same(r.Job.Seal, v) {
		return true
	}
	return v.Empty() && slices.ContainsFunc([]record.Value{record.Nothing(), record.OfText(""), record.OfList(), record.OfMap(nil)},
		func(none record.Value) bool { return base.Same(r.Job.Seal, none) })
}

// Cause is why a person is asked, or a record waits.
type Cause = record.Cause

const (
	SameKey     Cause = "same key"       // others have its key, or one of its keys speaks for another
	WasGone     Cause = "was gone"       // it was gone, and is there again
	OurMarked   Cause = "mark"           // it carries a mark of ours, and what it was made for is not clear
	UnknownMark Cause = "unknown mark"   // it carries a mark of ours, and nothing is known of what it was made from
	Booked      Cause = "booking"        // a booking that a person says yes or no to
	Missing     Cause = "missing"        // what it refers to is not there
	MayBeSent   Cause = "perhaps sent"   // it may have been made, where that can't be taken back
	Orphans     Cause = "orphans"        // there are records with our mark that nobody knows
	ByRule      Cause = "rule"           // a rule would leave it out
	KeyTaken    Cause = "key taken"      // what the other side keeps unique is another's there
	InPlace     Cause = "in place of it" // a record across with its key is gone

	SameName    Cause        = "same name"     // a booking across that is of another guest, as far as is known, has all else in common
	SaidBefore  Cause        = "said before"   // a person said that it is one across, and one of the two was changed since
	LeftBefore  Cause        = "left before"   // a person left it out, and its keys or its name changed since
	OutOfWindow Cause        = "out of window" // a record across with its key is outside of the window or the filter
	BlankedKey  Cause        = "blanked"       // all by which it could be recognised was blanked
	GoneFirst   Cause        = "gone first"    // what becomes of a link whose record is gone comes first
	LeftAlone   record.Cause = "left alone"    // a record across with its key has the id of another one, and a person left it alone
	ForgottenIt Cause        = "forgotten"     // it may have been made before the state was put back
)
