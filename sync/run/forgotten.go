package run

import (
	"time"

	"nightporter/sync/record"
)

// A state that was put back has forgotten what was made since the copy: a record stands on each side, and no
// link says that the two are the same. If their keys still agree, they are matched. If one was moved since,
// or its system shows no key, each looks as if the other side lacked it. So nothing is made of a record that
// the first lists after that showed, if they also showed one across that may be the same: a person is asked.

// Forgets is from when until when the first lists after the state was put back were read.
type Forgets struct {
	Asked       bool
	From, Until time.Time
	Across      [2]*[]record.Entry // the records without a link that these lists showed of a side; nil: not asked
}

// Within reports whether a record that was first seen at a moment was first shown by the first lists
// after the state was put back.
func (f *Forgets) Within(since time.Time) bool {
	return !f.From.IsZero() && !since.Before(f.From) && (f.Until.IsZero() || !since.After(f.Until))
}
