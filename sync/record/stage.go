package record

import "time"

// Stage is a set of changes that a guard held: it waits, whole, for a person.
type Stage struct {
	Question     // its cause is the guard that tripped
	Size     int // how many changes are in it
	Left     int // how many of them are neither done nor dropped
}

// Staged is one change of a stage.
type Staged struct {
	Action string // the digest of the change
	Link   LinkID
	Entry  int64 // for a create: that it is made from
	Ref    Ref   // of the record that would be written; for a create its source
	Text   string
	After  Fields    // what would be written
	Parts  []string  // of a change of several fields: the digests of what of it can be sent by itself
	Stood  [2]Fields // what was there before, by side, as far as that was kept
	State  string    // StagedDone, StagedDropped, StagedBack, or "" for what waits
}

// What became of a change that was staged.
const (
	StagedDone    = "done"
	StagedDropped = "dropped"  // it does not hold any more
	StagedBack    = "put back" // it was rejected, and both sides were seen without it since
)

// Spent is a record of a side of a binding that was written with one risk, or the records that
// were created there: each create is a record by itself, and only their number is told.
type Spent struct {
	Side  Side
	Risk  string
	Name  string    // of the record; "" of creates
	Count int       // how many records these are
	Last  time.Time // when one of them was sent the last time
}

// Rejection is a change of a link that a person rejected as part of a set.
type Rejection struct {
	Set   string   // the digest of the set
	By    string   // who rejected it
	Side  Side     // that would have been written
	Paths []string // the fields of that side that would have been written
}
