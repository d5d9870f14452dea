package record

import "time"

// ConfigVersion is one text of the configuration, with which the service or a command was run.
type ConfigVersion struct {
	ID     int64
	At     time.Time // when it was first run with
	Who    string    // the user and the command
	File   string
	Digest string
	Text   string // without secrets
}
