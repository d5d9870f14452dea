package run

import (
	"nightporter/sync/record"
)

// Finding is what is known of looking up by one set of paths.
type Finding struct {
	Works, Tried bool
	Fault        error // why it is given up, nil where it only proves nothing
}

// Control is a record that is known to be there, and how it is asked for.
type Control struct {
	Id  string
	Ask record.Fields
}
