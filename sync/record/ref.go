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

// The two sides. There is no source and no target: both are both.
const (
	Left Side = iota
	Right
)

// Sides is both, for loops.
var Sides = [2]Side{Left, Right}

// Other is the side across.
func (s Side) Other() Side { return 1 - s }

// String is "left" or "right".
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

// String is kind:id, or the kind where no record is named.
func (r Ref) String() string {
	if r.ID == "" {
		return string(r.Kind)
	}
	return fmt.Sprintf("%s:%s", r.Kind, r.ID)
}

// Version is a system's own mark of a record's revision: a row version, an ETag.
// It is opaque; empty where the system has none.
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
	Stamp   string    // our reference as the record carries it; "" where it carries none

	ChangedBy string // who changed it last, as the system shows it; "" where it shows none

	// Unfinished says that the record is not yet all that it will be; nil: nothing more
	// is to come. Of a list, which shows nothing that is read on its own, it may name what
	// is there already.
	Unfinished *Unfinished
}
