package match

import (
	"slices"

	"nightporter/sync/record"
)

// Departed reports whether a record is no longer there, as far as anybody knows.
func Departed(e record.Entry) bool {
	return slices.Contains([]record.EntryState{record.Gone, record.Suspect, record.Missed, record.OutOfScope}, e.State)
}
