package schedule

import (
	"fmt"
	"time"
)

// Postponed is the error of a run that was not made since it could come to nothing
// before a moment: it stays due, is tried then, or sooner on request, and counts as no
// failure.
type Postponed struct {
	Until time.Time
	Why   string
}

// Error says why.
func (p *Postponed) Error() string {
	return fmt.Sprintf("not before %s: %s", p.Until.UTC().Format(time.RFC3339), p.Why)
}
