package schedule

import (
	"fmt"
	"time"
)

// PostponedError is the error of a run that was not made, because it would be of no use before Until. The
// run stays due. It is tried at Until, or sooner on request. It does not count as a failure.
type PostponedError struct {
	Until time.Time
	Why   string
}

// Error says until when the run is postponed, and why.
func (p *PostponedError) Error() string {
	return fmt.Sprintf("not before %s: %s", p.Until.UTC().Format(time.RFC3339), p.Why)
}
