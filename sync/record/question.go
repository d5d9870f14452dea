package record

import "time"

// Question is what a person is asked. Its subject is a field of a link, a whole link, a record without a link, a set
// of changes that a guard held, a change without an answer, or a whole side of a job, which stands still meanwhile.
// For each subject and cause at most one question is open.
type Question struct {
	ID      int64
	Binding Binding
	Subject
	Cause   Cause  // names why it is asked
	Choices string // names which answers there are, where the cause alone does not tell
	Left    Value  // for a field: the canonical value that is shown; for a link: how the record stands
	Right   Value
	Base    Value
	Why     string // a sentence
	Next    string // for a side: how to let the job go on, by a command or by the configuration
	Rests   Rests  // what the question rests on: an answer counts only as long as this is the same
	Opened  time.Time
	Expires time.Time // for a set: when an answer no longer counts, and the set is asked about anew; zero: never
	Run     int64
	Answer
	Closed time.Time // zero: open. A set closes once all of it is done or dropped, it expires, or a larger set replaces it
}

// Subject is what a question is about. That is a link; or a record without a link, by the number of its entry; or a
// set of changes, by its digest; or a change that was sent, if nobody knows what became of it. If it is none of these,
// the subject is a side of a job.
type Subject struct {
	Side  Side // for a set: the side that would be written
	Link  LinkID
	Entry int64
	Field string // for a link: the field, or "the record" for all of the link
	Set   string // the digest of a set, made from its changes
	Risk  string // the risk that guards count all changes of a set as

	Change string // the id of an intent, if nobody knows what became of its change
}

// The fields of a question that is about no field.
const (
	WholeRecord = "the record" // about a link: what becomes of its records
	WhichIsSame = "match"      // about a record without a link: which record across is the same
)

// IsOfRecord reports whether a question is about a whole record, and not about one of its fields.
func (s Subject) IsOfRecord() bool { return s.Field == WholeRecord || s.Field == WhichIsSame }

// IsSide reports whether a question is about a whole side of a job.
func (s Subject) IsSide() bool { return s.Link == 0 && s.Entry == 0 && s.Set == "" && s.Change == "" }

// Answer is what a person said. The zero Answer says nothing.
type Answer struct {
	Choice Choice
	Value  Value // for ChoiceValue
	Who    string
	Chosen time.Time
}

// Choice is what a person chose.
type Choice string

// The choices, by what the question is about:
//
//   - a field: one side's value stays (ChoiceLeft, ChoiceRight), both sides keep what they have (ChoiceLeave), or both
//     get another value (ChoiceValue);
//   - a job that stands still: what stopped it is meant to be so, and the job goes on (Accepted), or what a side lost
//     is written to that side once more (Again);
//   - a set of changes: just these changes are made, each verified again (Approved), or they are not made, and the side
//     that would be written keeps what it has (Refusal);
//   - a change without an answer: it was applied (Arrived), or it never was (NotArrived).
const (
	ChoiceLeft  Choice = "left"
	ChoiceRight Choice = "right"
	ChoiceLeave Choice = "leave"
	ChoiceValue Choice = "value"
	Accepted    Choice = "accepted"
	Again       Choice = "again"
	Undecided   Choice = ""
	Approved    Choice = "approved"
	Refusal     Choice = "rejected"
	Arrived     Choice = "arrived" // for a create: as the record that Answer.Value names
	NotArrived  Choice = "not arrived"
)
