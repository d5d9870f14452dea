package simulator

import (
	"strings"
	"time"
)

// Order is the order of the rows of every list.
type Order string

// The orders; the zero value is IDAsc. IDs count in order of creation, so that
// CreatedDesc is IDDesc under the name that an API would give it. Rows of the
// same name or time of change follow in order of creation.
const (
	IDAsc       Order = "id_asc"
	IDDesc      Order = "id_desc"
	UpdatedAsc  Order = "updated_asc"
	UpdatedDesc Order = "updated_desc"
	ByName      Order = "name"
	CreatedDesc Order = "created_desc"
)

// IDStyle is the form of the ids that the server gives.
type IDStyle string

// The id styles; the zero value is UUIDs. Sequential ids are c000001, r000001, p000001.
const (
	UUIDs      IDStyle = "uuid"
	Sequential IDStyle = "sequential"
)

// Reference says whether records can carry a caller's reference: external_id, or
// external_ref in DialectCRM, where it is always stored.
type Reference string

// The values of Reference. With ReferenceField it is stored and can be filtered by;
// with ReferenceUnique a second record of the same reference answers 409.
const (
	ReferenceNone   Reference = ""
	ReferenceField  Reference = "field"
	ReferenceUnique Reference = "unique"
)

// PhoneStyle says how a phone number is stored. Uniqueness and filters compare
// numbers without spaces and dashes in any case.
type PhoneStyle string

// The phone styles: without spaces and dashes, as sent, or in groups of three.
const (
	PhoneClean  PhoneStyle = ""
	PhoneAsSent PhoneStyle = "as_sent"
	PhoneSpaced PhoneStyle = "spaced"
)

// Normalise says what the server does to values before it stores them.
type Normalise struct {
	KeepEmailCase bool           // otherwise an e-mail address becomes lower case
	Phone         PhoneStyle     // how a phone number is stored
	Truncate      map[string]int // longest text, in characters, by field ("notes", "name.family")
}

// Key is what an API key opens.
type Key struct {
	Account  string // DefaultAccount when empty
	ReadOnly bool   // writes answer 403
}

// The key and the account of a Sim whose Options name none.
const (
	DefaultKey     = "simulator-key"
	DefaultAccount = "main"
)

// Options are the settings of a Sim; the zero value is the documented platform.
type Options struct {
	Dialect Dialect
	// Traits, where given, are spoken in place of a dialect that has a name.
	Traits *Traits
	// Prefix replaces the dialect's own path prefix; "/" means none.
	Prefix string
	// Keys are the API keys; when empty, DefaultKey opens DefaultAccount.
	Keys  map[string]Key
	Order Order
	IDs   IDStyle
	// Seed makes ids, probabilities and nothing else repeatable.
	Seed      uint64
	Normalise Normalise
	// ShowTimes adds created_at and updated_at to the platform's records.
	ShowTimes   bool
	Reference   Reference
	Idempotency bool // honour Idempotency-Key
	Versions    bool // send ETag, honour If-Match
	Deletes     bool // offer DELETE
	// StatusAction offers PATCH /reservations/{id}/status, with a body
	// {"status":...} or with ?is_approved=true|false.
	StatusAction bool
	// KeepRequests is the length of the request log, 20,000 when 0.
	KeepRequests int
}

func (o Options) withDefaults(d dialect) Options {
	switch o.Prefix {
	case "":
		o.Prefix = d.traits.Prefix
	}
	o.Prefix = strings.TrimRight(o.Prefix, "/")
	o.Deletes = o.Deletes || d.traits.Deletes
	o.StatusAction = o.StatusAction || d.traits.Actions
	if len(o.Keys) == 0 {
		o.Keys = map[string]Key{DefaultKey: {}}
	}
	if o.Order == "" {
		o.Order = IDAsc
	}
	if o.KeepRequests == 0 {
		o.KeepRequests = 20_000
	}
	return o
}

const (
	maxBody    = 1 << 20
	timeLayout = "2006-01-02T15:04:05.000Z07:00"
)

func stampText(t time.Time) string { return t.UTC().Format(timeLayout) }
