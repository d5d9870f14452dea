package record

import (
	"strconv"
	"strings"
	"time"
)

// birthStep and birthSpan say how two times of creation may differ and still be the same: shown in another zone,
// or after the clocks were changed. They differ by a multiple of birthStep then, and by birthSpan at most.
const (
	birthStep = 15 * time.Minute
	birthSpan = 26 * time.Hour
)

// AsMade reports whether a record's own times of creation and change tell that nobody changed it since it was made.
func AsMade(created, changed time.Time) bool {
	return !created.IsZero() && !changed.IsZero() && changed.Sub(created) <= OneWrite
}

// SameBirth reports whether two times of creation may be of one record: was is in whole seconds.
func SameBirth(was, now time.Time) bool {
	d := now.Truncate(time.Second).Sub(was).Abs()
	return d <= birthSpan && d%birthStep <= time.Second
}

// Birth returns the time of creation that a witness is, in whole seconds; false if it is something else.
func Birth(witness string) (time.Time, bool) {
	text, ok := strings.CutPrefix(witness, BornWitness)
	if !ok {
		return time.Time{}, false
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return time.Unix(n, 0), err == nil
}
