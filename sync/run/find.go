package run

import (
	"nightporter/sync/record"
)

// Finding is what is known of look-ups by one set of paths.
type Finding struct {
	Works, Tried bool
	Fault        error // why such look-ups are given up; nil if they only prove nothing
}

// Control is a record that is known to be there, and how to ask for it. It shows whether a look-up works.
type Control struct {
	ID  string
	Ask record.Fields
}
