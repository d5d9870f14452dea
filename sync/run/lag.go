package run

import (
	"time"

	"nightporter/sync/record"
)

// keyLife is how long a system is trusted to remember an idempotency key: after an
// outage that lasted longer, what it made is looked for as everywhere else.
const keyLife = 12 * time.Hour

// keyHolds reports whether the key of a create may still be known: it was first sent
// when the create was made, however often since.
func (r *Run) keyHolds(in record.Intent) bool {
	age := time.Since(in.Made)
	return age >= 0 && age < keyLife
}
