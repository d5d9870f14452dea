package run

import (
	"nightporter/sync/record"
)

// CameAfter reports whether a record was first seen after a create was sent for the
// first time: sent once more, it may still have been the first that made it. Where our
// clock was set back since then, no time tells the new from the old.
func (r *Run) CameAfter(in record.Intent, e record.Entry) bool {
	return e.Since.After(in.Made) || in.Made.After(r.Now)
}
