package links

import (
	"strings"

	"nightporter/sync/run"
)

// KeysBlanked says why a record is held that nobody can recognise, because all its match keys were blanked. It is
// "" if the record has a key, or if nothing of it was blanked.
func KeysBlanked(s run.Stranger) string {
	if len(s.Keys) > 0 {
		return ""
	}
	if len(s.Blanked) == 0 {
		return ""
	}
	return run.BlankedWhy(strings.Join(s.Blanked, ", ")) + ", so that nobody can tell whether it is there already"
}
