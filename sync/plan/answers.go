package plan

// Answers is what a person can say to the question which record is the same as one that has
// no link, as it stands with the question.
type Answers string

// The answers. One that could not be done is not among them.
const (
	AnyAnswer  Answers = "hold"           // it is this one; it is none, make it; leave it out
	NoCreate   Answers = "hold_no_create" // none can be made of it
	NoWith     Answers = "hold_no_with"   // none that it may be is without a partner
	LeaveAlone Answers = "hold_leave"
)

// AnswersOf is what a person can say where these are possible.
func AnswersOf(create, with bool) Answers {
	switch {
	case create && with:
		return AnyAnswer
	case with:
		return NoCreate
	case create:
		return NoWith
	}
	return LeaveAlone
}

// Create reports whether a record can be made.
func (a Answers) Create() bool { return a != NoCreate && a != LeaveAlone }

// With reports whether there is a record that it can be.
func (a Answers) With() bool { return a != NoWith && a != LeaveAlone }
