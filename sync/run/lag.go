package run

import (
	"time"

	"nightporter/sync/record"
)

// keyLife is how long a system is trusted to remember an idempotency key. After a longer outage, what
// the create made is looked for as it is where there are no such keys.
const keyLife = 12 * time.Hour

// keyHolds reports whether the system may still know the idempotency key of a create. The time counts
// from the first sending, when the create was made, however often the create was sent since.
func (r *Run) keyHolds(in record.Intent) bool {
	age := time.Since(in.Made)
	return age >= 0 && age < keyLife
}
