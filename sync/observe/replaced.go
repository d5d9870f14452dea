package observe

import (
	"context"
	"errors"
	"fmt"
	"time"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// IsNewer reports whether an error names a newer version, which is another record, in
// place of what was asked for.
func IsNewer(err error) bool {
	e, ok := errors.AsType[*connectors.Error](err)
	return ok && e.Class == connectors.Moved && e.Newer
}

// buryReplaced notes that a newer version stands in a record's place, also of one that
// was never made across: an older one is followed over it to the newest.
func (r *Room) buryReplaced(ctx context.Context, side record.Side, e record.Entry, to record.Ref, at time.Time) error {
	why := fmt.Sprintf("%s took its place", to)
	r.Count(side.String()+".replaced", 1)
	r.Buried[e.Num] = at
	return r.store.Bury(ctx, r.Lease, record.Tombstone{Entry: e.Num, Evidence: record.EvidenceReplaced, Why: why, Moved: to.ID, At: at})
}
