package links

import (
	"strings"

	"nightporter/sync/run"
)

// KeysBlanked says why a record that can't be recognised is held, "" where something tells it or nothing
// of it was blanked.
func KeysBlanked(s run.Stranger) string {
	if len(s.Keys) > 0 {
		return ""
	}
	if len(s.Blanked) == 0 {
		return ""
	}
	return run.BlankedWhy(strings.Join(s.Blanked, ", ")) + ", so that nobody can tell whether it is there already"
}
