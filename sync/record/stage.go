package record

import "time"

// Stage is a set of changes that a guard held. The whole set waits for a person.
type Stage struct {
	Question     // Cause names the guard that held the set
	Size     int // how many changes are in it
	Left     int // how many of them have no outcome yet: State is ""
}

// Staged is one change of a stage.
type Staged struct {
	Action string // the digest of the change
	Link   LinkID
	Entry  int64 // for a create: the entry that it is made from
	Ref    Ref   // the record that would be written; for a create its source
	Text   string
	After  Fields    // what would be written
	Parts  []string  // of a change of several fields: the digests of the parts that can be sent alone
	Stood  [2]Fields // what stood there before, by side, as far as that was kept
	State  string    // StagedDone, StagedDropped, StagedBack, or "" while the change waits
}

// The outcomes of a staged change.
const (
	StagedDone    = "done"
	StagedDropped = "dropped"  // the change is not wanted any more
	StagedBack    = "put back" // the change was rejected, and both sides were seen without it since
)

// Spent says that a record on a side of a binding was written with a risk. For creates it says how many
// records were created there, and names none: each create makes another record.
type Spent struct {
	Side  Side
	Risk  string
	Name  string    // of the record; "" for creates
	Count int       // how many records these are
	Last  time.Time // when a change of these was last sent
}

// Rejection is a change of a link that a person rejected as part of a set.
type Rejection struct {
	Set   string   // the digest of the set
	By    string   // who rejected it
	Side  Side     // the side that would have been written
	Paths []string // the fields of that side that would have been written
}
