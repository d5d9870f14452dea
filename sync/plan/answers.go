package plan

// Answers names the answers that a person can give to the question: which record across is the same as this
// record without a link? It is stored with the question.
type Answers string

// The answers. An answer that could not be carried out is not among them.
const (
	AnyAnswer  Answers = "hold"           // all: it is this record; it is none of them, make it across; leave it out
	NoCreate   Answers = "hold_no_create" // no record can be made of it across
	NoWith     Answers = "hold_no_with"   // each record that it may be has a partner already
	LeaveAlone Answers = "hold_leave"
)

// AnswersOf returns the answers that are possible. create says that a record can be made across, with that one of
// the records there can be the same.
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

// Create reports whether a person may answer that the record is to be made across.
func (a Answers) Create() bool { return a != NoCreate && a != LeaveAlone }

// With reports whether a person may answer that a record across is the same.
func (a Answers) With() bool { return a != NoWith && a != LeaveAlone }
