package record

import (
	"fmt"
	"time"
)

// System is the name that the user gave a system.
type System string

// Kind is a system's own name for a type of record: "contacts", "guests".
type Kind string

// Side is one of the two sides of a binding.
type Side uint8

// The two sides. There is no source and no target: each side is both.
const (
	Left Side = iota
	Right
)

// Sides is both sides, for loops.
var Sides = [2]Side{Left, Right}

// Other returns the other side.
func (s Side) Other() Side { return 1 - s }

// String returns "left" or "right".
func (s Side) String() string {
	if s == Left {
		return "left"
	}
	return "right"
}

// Ref names one record inside its system. An empty ID names none.
type Ref struct {
	Kind Kind   `json:"kind"`
	ID   string `json:"id"`
}

// String returns kind:id, or only the kind if no record is named.
func (r Ref) String() string {
	if r.ID == "" {
		return string(r.Kind)
	}
	return fmt.Sprintf("%s:%s", r.Kind, r.ID)
}

// Version is what a system itself calls a record's revision: a row version, an ETag. It is opaque, and empty
// where the system has none.
type Version string

// Cursor is a connector's own place in a list. It is opaque; empty means the start.
type Cursor string

// Record is one record as a read showed it, in its system's own fields.
type Record struct {
	Ref     Ref
	Version Version
	Fields  Fields    // native path -> value; what the read did not show is missing
	Changed time.Time // the system's own time of the last change; zero where it shows none
	Created time.Time // the system's own time of creation; zero where it shows none
	Stamp   string    // our mark as the record carries it; "" where it carries none

	ChangedBy string // who changed it last, as the system shows it; "" where it shows none

	// Unfinished says that the record is not yet all that it will be; nil: nothing more is to come. A
	// list does not show what is read by a request of its own, such as a transcript. So from a list
	// Unfinished may name something that is there already.
	Unfinished *Unfinished
}
