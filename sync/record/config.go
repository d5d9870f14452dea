package record

import "time"

// ConfigVersion is one text that a service, or a command, was run with.
type ConfigVersion struct {
	ID     int64
	At     time.Time // when it was first run with
	Who    string    // the user and the command
	File   string
	Digest string
	Text   string // without secrets
}
