package record

import "time"

// FindingName says what a finding is about. Messages and metrics name it by this word.
type FindingName string

// The findings.
const (
	FindRefused    FindingName = "refused"    // the system refused values of the record
	FindVerb       FindingName = "verb"       // the system does not take this kind of change at all
	FindForbidden  FindingName = "forbidden"  // our key may not make this change
	FindHeld       FindingName = "key_held"   // another record there holds a value that must be unique
	FindNoUpdate   FindingName = "no_update"  // nothing says how records of this kind are changed
	FindUnwritable FindingName = "unwritable" // what one side holds can't be written to the other
	FindRequired   FindingName = "required"   // the system needs a field that nothing writes
	FindUnanswered FindingName = "unanswered" // write after write got no answer that tells what became of it
	FindUnseen     FindingName = "unseen"     // the record can't be seen as it is now, and is not written over
	FindUnreadable FindingName = "unreadable" // a value can't be read: the field stays as it is on the other side
	FindUnproven   FindingName = "unproven"   // the system may have it: no list was whole, and not all rules can be asked
	FindLacking    FindingName = "lacking"    // the record has no value for a field that the other system needs
	FindDamaged    FindingName = "damaged"    // the stored data of the record can't be read: it is carried neither way
	FindUndecided  FindingName = "undecided"  // a value that decides about a new record can't be read: it is not made across
	FindBlanked    FindingName = "blanked"    // a value may be a payment card: it is blanked, not compared, not written
)

// FindingNames lists all findings.
var FindingNames = []FindingName{
	FindRefused, FindVerb, FindForbidden, FindHeld, FindNoUpdate, FindUnwritable, FindRequired, FindUnanswered, FindUnseen, FindUnreadable, FindUnproven, FindLacking, FindDamaged, FindUndecided, FindBlanked,
}

// Finding says why a record, or a whole kind, is not written as it should be. It is shown until a run
// finds that this is over.
type Finding struct {
	Place Place // the side that would be written; for what can't be read: the side that holds it
	Name  FindingName
	Op    Op     // the operation that was asked for, or would be
	About string // the field or column that the finding is about, "" if none is known
	Text  string // the cause, in the system's own words if it said any
	Link  LinkID
	Entry int64 // without a link: the entry that a create is made from
	Ref   Ref   // the record written or, for a create, the one it is made from
	Asked time.Time
	Since time.Time
}

// For is what a finding is about. Two findings with the same For are one finding.
type For struct {
	Side  Side
	Link  LinkID
	Entry int64
	Name  FindingName
}

// For returns what the finding is about.
func (f Finding) For() For { return For{f.Place.Side, f.Link, f.Entry, f.Name} }

// ForPerson reports whether something waits until a person mends it. Three findings wait for nobody: a
// record that lacks a value is left out by rule, and a value that can't be read, or was blanked, counts
// as not shown. If no record is made because of such a value, that is the finding FindUndecided.
func (f Finding) ForPerson() bool {
	return f.Name != FindLacking && f.Name != FindUnreadable && f.Name != FindBlanked
}

// Same reports whether two findings say the same, whatever their Since. Asked counts to the millisecond.
func (f Finding) Same(o Finding) bool {
	at := f.Asked.UnixMilli() == o.Asked.UnixMilli()
	f.Asked, f.Since, o.Asked, o.Since = time.Time{}, time.Time{}, time.Time{}, time.Time{}
	return at && f == o
}
