package engine

import (
	"time"
)

const (
	// askAfter is how long after a booking was entered its room is asked for once
	// more: a sale that was on its way in the same second is visible by then.
	askAfter = time.Second
	// sellLook is how often a run looks during that second for what can't wait. sellMost is how long it goes on
	// like that in all, if more bookings are entered meanwhile.
	sellLook = 50 * time.Millisecond
	sellMost = 10 * time.Second
)
