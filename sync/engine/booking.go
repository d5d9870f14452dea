package engine

import (
	"time"
)

const (
	// askAfter is how long after a booking was entered its room is asked for once
	// more: a sale that was on its way in the same second is visible by then.
	askAfter = time.Second
	// sellLook is how often what can't wait is looked for in that second, and sellMost how
	// long a run goes on so while more bookings are entered.
	sellLook = 50 * time.Millisecond
	sellMost = 10 * time.Second
)
