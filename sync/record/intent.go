package record

import (
	"errors"
	"time"
)

// IntentState is how far a change has come.
type IntentState string

// The states of an intent. Prepared and Sent are open. A Sent intent that was not
// answered, or whose answer said nothing, stays Sent: nobody knows whether the
// system applied it, and it is looked up, never resent blindly.
const (
	Prepared  IntentState = "prepared"
	Sent      IntentState = "sent"
	Settled   IntentState = "settled"
	Rejected  IntentState = "rejected"  // the system said no
	Cancelled IntentState = "cancelled" // the record had changed, or the plan had: nothing was sent
	Lost      IntentState = "held"      // what became of it can't be known: a person decides
)

// Intent is a change made durable before it is sent, and afterwards the journal of
// what became of it.
type Intent struct {
	ID      string // ULID, also Change.ID
	Run     int64
	Place   Place  // the side written to
	Link    LinkID // 0 for a create
	From    int64  // for a create: the number of the entry it was made from
	Entity  string // for a create: the entity the new link gets
	Change  Change
	Risk    string // what guards count it as; "" is not counted: a person let it go
	Reason  string // a sentence: why
	Fields  []FieldReason
	Bases   [2]Fields   // what each side's base takes over when the change is settled: what it was computed from
	State   IntentState // how far it has come
	Tries   int
	Made    time.Time
	SentAt  time.Time // of the last try
	EndedAt time.Time
	Error   string // of the last try, redacted
	Class   string // of the error
}

// Journaled is a change of the journal with what the system answered.
type Journaled struct {
	Intent
	Receipt *Receipt // nil: there is none
}

// FieldReason tells why one field is written.
type FieldReason struct {
	Field  string `json:"field"`            // canonical name
	Policy string `json:"policy"`           // the rule that decided
	Before Value  `json:"before,omitzero"`  // what the side written to held, canonical
	After  Value  `json:"after,omitzero"`   // what it is to hold
	Loser  Value  `json:"loser,omitzero"`   // the value that lost a conflict, if there was one
	Reason string `json:"reason,omitempty"` // a sentence
	Ground Ground `json:"ground,omitempty"` // names the reason where a later rule asks for it
}

// Ground names why a field is decided as it is. "" names nothing. Nobody decides by the sentence that goes with it.
type Ground string

// ErrLinked says that a record belongs to another link already.
var ErrLinked = errors.New("the record is already linked")

// Receipt is what the system answered to an intent.
type Receipt struct {
	Intent      string
	Ref         Ref // of the record written; for a create the new one
	Version     Version
	Fields      Fields    // what the record holds now as the answer showed it
	Provisional bool      // the answer showed nothing: Fields is what was sent
	Changed     time.Time // the system's own time of the last change; zero where it shows none
	Created     time.Time // the system's own time of creation; zero where it shows none
	At          time.Time // when it was answered
	SettleUntil time.Time // until when a read of the pre-image is no change
	Adopted     bool      // found by a look-up, not answered
	New         bool      // of a create: it made the record, so that what had its id before is gone
	ReadAgain   bool      // it is to be read by id once it has settled, unless a list shows it first
	Note        string    // a sentence for the journal

	// Across is, for a create, what the base of the record across has in place of what the
	// create was computed from: what the new record did not take over is a change there.
	Across Fields
	// Apart is the native paths that the new record shows otherwise than they were sent,
	// where nobody knows who did that: they meet the other side for the first time.
	Apart []string
}

// EndedByLink is the class of a create without an answer that is over since its source was linked: a
// record came that has its key, and that it may have made.
const EndedByLink = "linked"

// OneWrite is how far apart a system may note the creation of a record and the last change
// of it where both are one write.
const OneWrite = time.Second
