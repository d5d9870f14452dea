package run

import (
	"nightporter/sync/record"
)

// IsLeftOut reports whether a record is left out, and nothing has marked it to be looked at since.
func (c Brief) IsLeftOut() bool { return c.State == record.LeftOut && !c.Dirty }
