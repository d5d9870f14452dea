package run

import (
	"nightporter/sync/record"
)

// CameAfter reports whether a record was first seen after a create was first sent. If the create was
// sent again since, its first request may still have made the record. If our clock was set back since,
// it is true for every record, because no time tells the new ones from the old.
func (r *Run) CameAfter(in record.Intent, e record.Entry) bool {
	return e.Since.After(in.Made) || in.Made.After(r.Now)
}
