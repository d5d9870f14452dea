package schedule

import (
	"fmt"
	"time"
)

// PostponedError is the error of a run that was not made since it could come to nothing
// before a moment: it stays due, is tried then, or sooner on request, and counts as no
// failure.
type PostponedError struct {
	Until time.Time
	Why   string
}

// Error says why.
func (p *PostponedError) Error() string {
	return fmt.Sprintf("not before %s: %s", p.Until.UTC().Format(time.RFC3339), p.Why)
}
