package state

import (
	"nightporter/state/internal/digests"
	"nightporter/state/internal/disk"
	"nightporter/state/internal/questions"
	"nightporter/state/internal/runs"
	"nightporter/state/internal/sqlite"
)

// These errors say what is wrong with the state file or with a call. Each message says what to do next;
// errors.Is tells them apart.
var (
	ErrNewer    = sqlite.ErrNewer
	ErrCorrupt  = sqlite.ErrCorrupt
	ErrReadOnly = sqlite.ErrReadOnly
	ErrFull     = sqlite.ErrFull
	ErrForeign  = sqlite.ErrForeign
	ErrReplaced = sqlite.ErrReplaced
	ErrBusy     = sqlite.ErrBusy
	ErrDriver   = sqlite.ErrDriver
	ErrNoRoom   = sqlite.ErrNoRoom
	ErrHasLinks = sqlite.ErrHasLinks
	ErrFenced   = sqlite.ErrFenced
	ErrUnknown  = sqlite.ErrUnknown
	ErrLinked   = sqlite.ErrLinked
	ErrOpen     = sqlite.ErrOpen
	ErrNotOpen  = sqlite.ErrNotOpen
	ErrRebound  = sqlite.ErrRebound
	ErrKey      = sqlite.ErrKey
	ErrInUse    = disk.ErrInUse

	ErrSealed  = digests.ErrSealed
	ErrDecided = questions.ErrDecided
	ErrSettled = runs.ErrSettled
)
