package record

import "time"

// Claim is what a person says became of a change that is Lost. The next run takes it
// up, or refuses it with the reason why it can't be so.
type Claim struct {
	Arrived bool      // the system applied it; otherwise it never did, and is planned anew
	Ref     Ref       // the record it made, for a create that arrived; else empty
	At      time.Time // when the person said it
}
