package run

import (
	"context"
	"time"

	"nightporter/sync/plan"
)

// Send is what holds back writes to a side that may reach a person.
type Send struct {
	plan.Sending
	// Never gives the numbers of those who are never to be written to, as they are spelt
	// where they are kept. It is asked before each write: who is added meanwhile is heeded.
	Never func(ctx context.Context) ([]string, error)
	// Beside says that Never asks the system that is written to: it can't be asked while a
	// write has its turn there, so that what was read right before counts.
	Beside bool
}

// NeverList is the last list of those who are never written to, as it was spelt and as it
// was read.
type NeverList struct {
	Texts []string
	Set   map[string]bool
	Err   error // why it could not be read
	At    time.Time
}
