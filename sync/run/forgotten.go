package run

import (
	"time"

	"nightporter/sync/record"
)

// A state that was put back forgot what was made since the copy: one stands on each side, and no
// link says that they are the same. Where their keys still agree they are matched. Where one was
// moved since, or its system shows no key, each looks as if the other side lacked it. So nothing is
// made of a record that the first lists after that showed, while they also showed one across that
// may be it: a person is asked.

// Forgets is when the first lists after the state was put back were read.
type Forgets struct {
	Asked       bool
	From, Until time.Time
	Across      [2]*[]record.Entry // what these lists showed of a side, and that has no link; nil: not asked
}

// Within reports whether the first lists after the state was put back showed a record first.
func (f *Forgets) Within(since time.Time) bool {
	return !f.From.IsZero() && !since.Before(f.From) && (f.Until.IsZero() || !since.After(f.Until))
}
