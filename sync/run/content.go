package run

import (
	"fmt"

	"nightporter/sync/plan"
)

// limitsOf is the limits of what a side takes as contents, as a text; "" where it takes none.
func limitsOf(k plan.Kind) string {
	if len(k.Contents) == 0 {
		return ""
	}
	return fmt.Sprintf(" %+v", k.Contents)
}
