package record

import "time"

// Question is what a person is asked: about a field of a link, about a link, about a record without one, about a set
// of changes that a guard held, about a change without an answer, or about a whole side of a job, which stands still
// meanwhile. Of each subject and cause at most one is open.
type Question struct {
	ID      int64
	Binding Binding
	Subject
	Cause   Cause  // names why it is asked
	Choices string // names what may be answered, where the cause alone does not tell
	Left    Value  // of a field: what is shown, canonical; of a link: how each record stands
	Right   Value
	Base    Value
	Why     string // a sentence
	Next    string // of a side: what lets the job go on, a command or what to configure
	Rests   Rests  // what an answer is about: an answer to something else does not count
	Opened  time.Time
	Expires time.Time // of a set: then the answer counts no more, and it is asked anew; zero for never
	Run     int64
	Answer
	Closed time.Time // zero while it is open; of a set: all of it was done or dropped, it expired, or a larger one took its place
}

// Subject is what a question is about: a link, or a record without one, by the number of its entry, or a set of
// changes, by its digest, or a change that was sent and of which nobody knows what became, or, where it is none of
// them, a side of a job.
type Subject struct {
	Side  Side // of a set: that would be written
	Link  LinkID
	Entry int64
	Field string // of a link: the field; "the record" where it is about all of it
	Set   string // names a set by what is in it
	Risk  string // what all changes of a set are counted as

	Change string // the intent of which nobody knows what became
}

// IsSide reports whether a question is about a whole side of a job.
func (s Subject) IsSide() bool { return s.Link == 0 && s.Entry == 0 && s.Set == "" && s.Change == "" }

// Answer is what a person said. The zero answer says nothing.
type Answer struct {
	Choice Choice
	Value  Value // for ChoiceValue
	Who    string
	Chosen time.Time
}

// Choice is what a person chose.
type Choice string

// The choices. Of a field one side's value stays, both keep what they have, or both get another one. A job that
// stands still goes on with what it stands before, which is meant to be so, or has what a side lost written to it
// once more. Just the changes of a set are made, each verified again, or they are not: the side that would be written
// keeps what it has. A change without an answer was applied, or never was.
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
	Arrived     Choice = "arrived" // a create as the record that the answer's value names
	NotArrived  Choice = "not arrived"
)
