package record

import "time"

// Claim is what a person says became of a change that is Lost. The next run accepts the claim, or
// refuses it and says why it can't be true.
type Claim struct {
	Arrived bool      // true: the system applied the change; false: it never did, and the change is planned anew
	Ref     Ref       // for a create that arrived: the record that it made; else empty
	At      time.Time // when the person said it
}
