package run

import (
	"slices"

	"nightporter/sync/record"
)

// AsSettled reports whether a value is the one that a base has. All empty values count as the same.
func (r *Run) AsSettled(base record.Stored, v record.Value) bool {
	if base.Same(r.Job.Seal, v) {
		return true
	}
	return v.Empty() && slices.ContainsFunc([]record.Value{record.Nothing(), record.OfText(""), record.OfList(), record.OfMap(nil)},
		func(none record.Value) bool { return base.Same(r.Job.Seal, none) })
}

// Cause is why a person is asked, or a record waits.
type Cause = record.Cause

// The causes for which a person is asked about a record, or a record waits.
const (
	SameKey     Cause = "same key"       // other records have its key, or its keys speak for different records
	WasGone     Cause = "was gone"       // it was gone, and is there again
	OurMarked   Cause = "mark"           // it carries a mark of ours, and what it was made for is not clear
	UnknownMark Cause = "unknown mark"   // it carries a mark of ours, and nothing is known of what it was made from
	Booked      Cause = "booking"        // a booking that a person says yes or no to
	Missing     Cause = "missing"        // what it refers to is not there
	MayBeSent   Cause = "perhaps sent"   // it may have been made across already, which can't be taken back
	Orphans     Cause = "orphans"        // across are records with our mark of which nothing is known
	ByRule      Cause = "rule"           // a rule would leave it out
	KeyTaken    Cause = "key taken"      // another record across has a key that is unique there
	InPlace     Cause = "in place of it" // the record across with its key is linked to one that is gone, or may be

	SameName    Cause        = "same name"     // a booking across is alike but for the guest, as far as is known
	SaidBefore  Cause        = "said before"   // a person said which one across it is, and one of the two changed since
	LeftBefore  Cause        = "left before"   // a person left it out, and its keys or its name changed since
	OutOfWindow Cause        = "out of window" // a record across with its key is outside of the window or the filter
	BlankedKey  Cause        = "blanked"       // all by which it could be recognised was blanked
	GoneFirst   Cause        = "gone first"    // first it is decided what becomes of a link with a record that is gone
	OtherFirst  Cause        = "other first"   // another job is to decide first whether it makes it
	LeftAlone   record.Cause = "left alone"    // one across with its key took another's id, and a person left it alone
	ForgottenIt Cause        = "forgotten"     // it may have been made before the state was put back
)
