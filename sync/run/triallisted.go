package run

import (
	"time"

	"nightporter/sync/record"
)

// ShownAs is what a list of this run showed of the record of a trial. Absent says that the list was
// read whole and did not show the record.
type ShownAs struct {
	Fields record.Fields
	At     time.Time
	Absent bool
}
