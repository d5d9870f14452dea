package record

import (
	"errors"
	"time"
)

// IntentState is how far a change has come.
type IntentState string

// The states of an intent. It is kept as Sent right before its request, and stays Sent if no answer came, or if the
// answer did not tell what became of it. Then nobody knows whether the system applied the change: it is
// looked up, and never resent blindly.
const (
	Sent      IntentState = "sent"
	Settled   IntentState = "settled"
	Rejected  IntentState = "rejected"  // the system said no
	Cancelled IntentState = "cancelled" // it was not sent, or never arrived, or its record ended another way
	Lost      IntentState = "held"      // what became of it can't be known: a person decides
)

// Intent is a change that is stored before it is sent. Afterwards it is the journal of what became of
// that change.
type Intent struct {
	ID      string // ULID, also Change.ID
	Run     int64
	Place   Place  // the side written to
	Link    LinkID // 0 for a create
	From    int64  // for a create: the number of the entry it was made from
	Entity  string // for a create: the entity the new link gets
	Change  Change
	Risk    string // the risk that guards count it as; "" is not counted: a person let it go
	Reason  string // a sentence: why
	Fields  []FieldReason
	Bases   [2]Fields   // what the change was computed from: each side's base takes it over once the change is settled
	State   IntentState // how far it has come
	Tries   int
	Made    time.Time
	SentAt  time.Time // of the last try
	EndedAt time.Time
	Error   string // of the last try, redacted
	Class   string // of the error
	Said    []Word // what the change rests on; it is looked at when the change is opened, and not kept
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
	Ground Ground `json:"ground,omitempty"` // names the reason, where a later rule needs to know
}

// Ground names why a field is decided as it is; "" names nothing. Rules decide by this name, never by the
// sentence that goes with it.
type Ground string

// ErrLinked says that a record belongs to another link already.
var ErrLinked = errors.New("the record is already linked")

// Receipt is what the system answered to an intent.
type Receipt struct {
	Intent      string
	Ref         Ref // the record written; for a create the new record
	Version     Version
	Fields      Fields    // what the record holds now, as the answer showed it
	Provisional bool      // the answer showed nothing: Fields is what was sent
	Changed     time.Time // the system's own time of the last change; zero where it shows none
	Created     time.Time // the system's own time of creation; zero where it shows none
	At          time.Time // when it was answered
	SettleUntil time.Time // until then a read that shows what the write replaced is late, and no change
	Adopted     bool      // the record was found by a look-up; no answer came
	New         bool      // the create surely made a new record: a record that had its id before is gone
	ReadAgain   bool      // the record is to be read by id after SettleUntil, unless a list shows it first
	Retold      bool      // a read of the record would tell the same: if a power cut takes the receipt back, the intent is settled by that read
	Note        string    // a sentence for the journal

	// Across is, for a create, what the base of the source record gets in place of the values that
	// the create was computed from. Example: the new record did not take over the status. The base
	// then holds no status, so that the status of the source counts as a change, and is sent.
	Across Fields
	// Apart names the native paths at which the new record shows other values than were sent, and
	// nobody knows who changed them. They are decided as at the first contact of two records.
	Apart []string
}

// EndedByLink is the class of a create without an answer that ended because its source was linked. The
// source was linked with a record that has its key, and that the create may have made.
const EndedByLink = "linked"

// OneWrite is how far apart the times of creation and of the last change may be in a record that was
// written only once.
const OneWrite = time.Second
