package run

import (
	"fmt"

	"nightporter/sync/plan"
)

// limitsOf names what a side takes as contents, "" where it takes none.
func limitsOf(k plan.Kind) string {
	if len(k.Contents) == 0 {
		return ""
	}
	return fmt.Sprintf(" %+v", k.Contents)
}
