package run

import (
	"time"

	"nightporter/sync/record"
)

// ShownAs is what a list of this run showed of the record of a trial; absent says that it was read
// whole and did not show it.
type ShownAs struct {
	Fields record.Fields
	At     time.Time
	Absent bool
}
