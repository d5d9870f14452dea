// Package away decides what becomes of a link if one of its records is gone, came back or was merged, or if an id
// of the link names another record now.
//
// An absence that is not proven does not count. What can't be taken back is done only where it is known how both
// records stand. The package is pure: Gone says what is to be done, and Delete and Archive make the changes.
package away

import (
	"nightporter/sync/record"
)

// Proof is how sure it is that a record is not there.
type Proof uint8

// The proofs, weakest first. Below ReadAway nothing is ever done.
const (
	Unseen   Proof = iota // not looked for, or outside of what is looked at
	Unlisted              // a complete list did not show it, or a read by id found nothing; it is looked for again
	ReadAway              // a read by id found nothing, late enough after our last write to be believed
	ToldAway              // its system says so itself
)

// Existence says whether a record of a link is there, and whether it is still the same record.
type Existence uint8

// The ways in which a record of a link can stand.
const (
	Present  Existence = iota
	Absent             // it is not there, as sure as Proof says
	Merged             // its system merged it into another record
	Returned           // it was gone, something was done about that, and now it is there again
	Foreign            // its id names another record than the one that was linked
	Replaced           // a newer version, which is another record, stands in its place
)

// GonePolicy says what becomes of a record when the one across is gone.
type GonePolicy string

// The policies. GoneHold, which asks a person, is the default.
const (
	GoneHold    GonePolicy = "hold"
	GoneDelete  GonePolicy = "delete"
	GoneArchive GonePolicy = "archive"
	GoneUnlink  GonePolicy = "unlink"
	GoneIgnore  GonePolicy = "ignore"
)

// Standing is what is known of one record of a link, and what its absence means.
type Standing struct {
	State   Existence
	Proof   Proof      // for Absent
	Changed bool       // it was edited since the link was last in step, or nobody can tell
	Taken   bool       // for Merged: the record that it was merged into belongs to another link
	Moved   bool       // for Foreign: it was merged into another record, and nobody said whether it was ours
	Unsure  bool       // Merged: nobody knows if the other one has a partner. Replaced: the newer one is not across yet
	Fixed   bool       // records of its kind never change: one that is there again is just as it was
	Lone    bool       // no other linked record of its side is there: the system may be another account
	Known   bool       // a person was told of a record that may be it, entered anew, and said that it is
	Anew    bool       // a record of its side without a link matches the one across by a rule: it may be it, entered anew
	Ours    bool       // we deleted it
	Lost    bool       // its system was put back to an older copy, and is to get once more what the other side holds
	Policy  GonePolicy // what is done to the record across when this one is gone; "" is GoneHold
	Refused bool       // its system refused to do to it what the policy of the other record says
	Given   bool       // it was gone, and another record has its id since
	Unable  bool       // its system can't do to it what the policy of the other record says
	NamedBy NamedBy    // where it may go: what depends on it in other jobs
}

// GoneChoice is what a person decided about a record that is gone.
type GoneChoice string

// The choices. ChooseCarry carries the absence over. ChooseLeave leaves the other record alone for good.
// ChooseAnew has the missing record made anew; where an id names another record, it says that this is so.
// ChooseSame says that a record which came back, or looks like a stranger, is the same.
const (
	ChooseNone  GoneChoice = ""
	ChooseCarry GoneChoice = "delete"
	ChooseLeave GoneChoice = "leave"
	ChooseAnew  GoneChoice = "create"
	ChooseSame  GoneChoice = "same"
)

// Known reports whether a choice is one of these. A person who is told of several records that may be the one
// that is gone, entered anew, may also name one of them.
func (c GoneChoice) Known() bool {
	switch c {
	case ChooseNone, ChooseCarry, ChooseLeave, ChooseAnew, ChooseSame:
		return true
	}
	return false
}

// Existing is one link of which a record may be gone.
type Existing struct {
	Sides  [2]Standing
	Parted bool       // the link is only remembered
	Over   bool       // and both its records were gone
	Choice GoneChoice // what a person said
}

// Deed is what is to be done about a link of which a record is gone.
type Deed uint8

// The deeds. Only Carry writes to a system.
const (
	GoOn   Deed = iota // nothing is proven: the link is decided as always
	Await              // nothing is done before more is known
	Carry              // the policy is carried out on the record of Side
	Part               // the link is only remembered from now on
	Ignore             // the record across stays as it is, and so does the link
	Ask                // a person is asked
	Rewire             // the link goes on with another record of Side: the one it was merged into, or one entered anew
	End                // both are gone: the link ends
	Break              // nothing flows over the link before a person says
	Free               // the link ends, and the record of Side is as if it had never had one
	Resume             // the link goes on
	Split              // the record of Side is another one: the link ends, and a person is asked about the record across
	Begin              // the record of Side is gone, and its id names a new one: that begins with nothing
)

// Strays reports whether a record loses its partner by a deed, or gets another one.
func (d Deed) Strays() bool {
	return d == Rewire || d == Free || d == Resume || d == Split || d == Begin
}

// Question is what a person is asked about a link.
type Question string

// The questions.
const (
	AskGone     Question = "gone"     // one is gone: is the other one to go too?
	AskEdited   Question = "edited"   // one is gone, the other was edited since
	AskAnew     Question = "anew"     // one is gone, and a record that may be the same was entered anew
	AskAlone    Question = "alone"    // no linked record of that side is there
	AskRefused  Question = "refused"  // the system refused to delete it
	AskUnable   Question = "unable"   // one is gone, and the system of the other can't delete it
	AskMerged   Question = "merged"   // it was merged into a record that is linked to another
	AskReturned Question = "returned" // it is there again
	AskForeign  Question = "stranger" // its id names another record
	AskNamed    Question = "named"    // one is gone, and records of other jobs name the other one, or are linked with it
)

// Fate is what is decided about a link of which a record is gone.
type Fate struct {
	Deed     Deed
	Side     record.Side // the record that is acted upon; for Rewire, Ask and Break the record that is the cause
	Question Question    // for Ask and Break
}

// proven reports whether a record is known not to be there. An old version whose newer one is not in its
// place across yet counts as there: nothing is taken away before.
func proven(s Standing) bool {
	return s.State == Absent && s.Proof >= ReadAway || s.State == Replaced && !s.Unsure
}
