package run

import (
	"nightporter/sync/record"
)

// IsLeftOut reports whether a record is left out, and nothing happened to it since.
func (c Brief) IsLeftOut() bool { return c.State == record.LeftOut && !c.Dirty }
