package record

import "time"

// Lease is the right to write for a binding. Each transaction that writes checks the epoch of the lease: a
// run that lost its lease can't commit.
type Lease struct {
	Binding Binding
	Run     int64
	Epoch   int64
}

// Outcome is how a run ended.
type Outcome string

// The outcomes of a run.
const (
	Running Outcome = "running"
	Done    Outcome = "done"
	Waits   Outcome = "done, something waits for a person"
	Halted  Outcome = "halted"
	Failed  Outcome = "failed"
	Broken  Outcome = "interrupted"
)

// Run is one execution of a job.
type Run struct {
	ID      int64
	Binding Binding
	Started time.Time
	Ended   time.Time // zero while it runs
	Dry     bool
	Outcome Outcome
	Error   string
	Counts  Counts
	Config  int64 // the number of the configuration it was decided by; 0: not known
	Undoes  int64 // the run whose changes this one takes back; 0: none
}

// Counts is how much a run did and left undone, by name ("left.pages", "right.created", "held"). Names are
// stable: they are printed, counted and queried.
type Counts map[string]int64

// Wait says that an entry, or a link, can't go on before another record is linked.
type Wait struct {
	Entry   int64   // the entry that waits
	Binding Binding // of the record that it waits for
	Side    Side
	Ref     Ref
	Since   time.Time
}

// Meant is the record that a reference by phone number means. It holds as long as the naming record shows the
// same name and phone there.
type Meant struct {
	Entry   int64  // the record that names another one
	Field   string // its reference field
	Shown   string // a digest of the name and the phone that it shows there
	Binding Binding
	Side    Side
	Ref     Ref    // the record that is meant
	Born    int64  // when that record was made, in Unix milliseconds; 0 if its system does not say
	Name    string // a digest of the name of that record
	Gone    bool   // that record was found gone since: its id may name another one now
}

// Alert is something a person must be told at once.
type Alert struct {
	ID      int64
	Run     int64
	Binding Binding
	Entry   int64
	Kind    string // "booking_refused", "booking_oversold", "booking_waiting"
	Text    string // without a guest's data: ids and dates
	At      time.Time
}

// Forgiven says from when on a system's refusals of a record count. Earlier ones do not, because a person or
// another mapping had the same asked again. With Link 0 and From 0 it is about all records.
type Forgiven struct {
	Side      Side // the side that refused
	Link      LinkID
	From      int64     // for a create: the entry that it is made from
	At        time.Time // zero: all count
	Dismissed time.Time // when a person said to hear no more of it; zero: nobody did
	By        string
}

// Always is what a person decided once and for all about a field that both sides changed.
type Always struct {
	Binding Binding
	Field   string
	Take    Choice // ChoiceLeft or ChoiceRight
	By      string
	Since   time.Time
}

// Unreadable is an item that can't be read as it is.
type Unreadable struct {
	Place     Place
	Name      string // tells items apart: the id, or a digest of an item without an id
	Entry     int64  // 0: the item has none
	Ref       Ref    // of the entry
	Problem   string
	Since, At time.Time // first and last seen so
}
