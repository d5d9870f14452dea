package run

import (
	"context"
	"time"

	"nightporter/sync/plan"
)

// Send is what holds back writes to a side if they may reach a person.
type Send struct {
	plan.Sending
	// Never returns the numbers of all who must never be written to, as they are spelt in their list. It
	// is called before each write, so that a number which was added meanwhile counts.
	Never func(ctx context.Context) ([]string, error)
	// Beside says that Never asks the same system that is written to. That system can't be asked while a
	// write has its turn there, so the list counts that was read right before.
	Beside bool
}

// NeverList is the last list of those who are never written to: Texts as it was spelt, Set as it was read.
type NeverList struct {
	Texts []string
	Set   map[string]bool
	Err   error // why it could not be read
	At    time.Time
}
