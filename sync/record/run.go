package record

import "time"

// Lease is the right to write for a binding. Each transaction that writes checks
// its epoch: a run that lost its lease can't commit.
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

// Counts is what a run did and left, by name ("left.pages", "right.created",
// "held"). Names are stable: they are printed, counted and queried.
type Counts map[string]int64

// Wait says that an entry, or a link, can't go on before another record is linked.
type Wait struct {
	Entry   int64   // the entry that waits
	Binding Binding // of the record it waits for
	Side    Side
	Ref     Ref
	Since   time.Time
}

// Meant is whom a record means that names another by a phone number, as long as it shows the same.
type Meant struct {
	Entry   int64  // of the record that names another
	Field   string // its reference
	Shown   string // a digest of what it shows of whom it names
	Binding Binding
	Side    Side
	Ref     Ref    // of the record that is meant
	Born    int64  // when its system made it, in Unix milliseconds; 0 where it does not say
	Name    string // a digest of its name
	Gone    bool   // it was found to be gone since: under its id there may be another one
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

// Forgiven says from when on a system's refusals of a record count: before, a person or
// another mapping had them asked again. One of link 0 and entry 0 is about all records.
type Forgiven struct {
	Side      Side // that refused
	Link      LinkID
	From      int64     // for a create: the entry it is made from
	At        time.Time // zero: all count
	Dismissed time.Time // when a person said to hear no more of it; zero: nobody did
	By        string
}

// Always is what a person decided once and for all about a field that both sides
// change.
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
	Name      string // tells it apart: its id, or a digest of an item without one
	Entry     int64  // 0: it has none
	Ref       Ref    // of the entry
	Problem   string
	Since, At time.Time // first and last seen so
}
