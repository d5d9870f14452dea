package record

import "time"

// FindingName says what a finding is about. Messages and metrics name it by this word.
type FindingName string

// The findings.
const (
	FindRefused    FindingName = "refused"    // a system says no to values
	FindVerb       FindingName = "verb"       // a system does not take this kind of change at all
	FindForbidden  FindingName = "forbidden"  // our key may not make this change
	FindHeld       FindingName = "key_held"   // another record there holds a value that must be unique
	FindNoUpdate   FindingName = "no_update"  // nothing says how records of this kind are changed
	FindUnwritable FindingName = "unwritable" // what one side holds can't be written to the other
	FindRequired   FindingName = "required"   // the system needs a field that nothing writes
	FindUnanswered FindingName = "unanswered" // nobody knows what became of one write after the other
	FindUnseen     FindingName = "unseen"     // nobody can see the record as it is now, and it is not written over
	FindUnreadable FindingName = "unreadable" // a value of the record can't be read: its field stays as it is across
	FindUnproven   FindingName = "unproven"   // nobody knows whether the system has it: its list was not whole, and it can't be asked by all that may know it
	FindLacking    FindingName = "lacking"    // the record itself has no value for a field that the other system needs
	FindDamaged    FindingName = "damaged"    // what the store keeps of the record can't be read: it is carried neither way
	FindBlanked    FindingName = "blanked"    // a value of the record may be a payment card, and is blanked: it is neither compared nor written
)

// FindingNames is all of them.
var FindingNames = []FindingName{
	FindRefused, FindVerb, FindForbidden, FindHeld, FindNoUpdate, FindUnwritable, FindRequired, FindUnanswered, FindUnseen, FindUnreadable, FindUnproven, FindLacking, FindDamaged, FindBlanked,
}

// Finding is why a record, or a whole kind, is not written as it should be. It is shown
// until a run finds that it is over.
type Finding struct {
	Place Place // that would be written; of what can't be read, where it stands
	Name  FindingName
	Op    Op     // that was asked for, or would be
	About string // the field or column that it is about, "" where none is known
	Text  string // the cause, in the system's words where it said any
	Link  LinkID
	Entry int64 // without a link: of the record that a create is made from
	Ref   Ref   // the record written or, for a create, the one it is made from
	Asked time.Time
	Since time.Time
}

// For is what the finding is about: two of the same name for the same are one.
type For struct {
	Side  Side
	Link  LinkID
	Entry int64
	Name  FindingName
}

// For is what the finding is about.
func (f Finding) For() For { return For{f.Place.Side, f.Link, f.Entry, f.Name} }

// ForPerson reports whether something waits until a person mends it. What a record
// simply lacks is left out by rule, and a value that can't be read, or was blanked, counts as not shown.
func (f Finding) ForPerson() bool {
	return f.Name != FindLacking && f.Name != FindUnreadable && f.Name != FindBlanked
}

// Same reports whether two say the same, to the millisecond.
func (f Finding) Same(o Finding) bool {
	at := f.Asked.UnixMilli() == o.Asked.UnixMilli()
	f.Asked, f.Since, o.Asked, o.Since = time.Time{}, time.Time{}, time.Time{}, time.Time{}
	return at && f == o
}
