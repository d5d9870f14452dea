package app

import (
	"errors"
	"fmt"

	"nightporter/connectors"
)

// Discreet is err as a log may show it: without the words of a system.
func Discreet(err error) error {
	if err == nil {
		return nil
	}
	return discreet{err}
}

// discreet is an error as a log may show it. What a system answered is its own words,
// and may name a guest: they stay in the state file, with the run.
type discreet struct{ err error }

// Error leaves out what a system said.
func (d discreet) Error() string {
	e, ok := errors.AsType[*connectors.Error](d.err)
	if !ok || e.Status == 0 {
		return d.err.Error()
	}
	hint := ""
	if e.Hint != "" {
		hint = ": " + e.Hint
	}
	return fmt.Sprintf("%s: %s (HTTP %d)%s; nightporter runs shows what the system said", e.Op, e.Class, e.Status, hint)
}

// Unwrap is the whole error.
func (d discreet) Unwrap() error { return d.err }
