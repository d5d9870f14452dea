package run

import (
	"errors"
)

// ErrHalted ends a run before its first write. The report names the halts.
var ErrHalted = errors.New("halted before the first write")
