package observe

import (
	"context"
	"errors"
	"fmt"
	"time"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// IsNewer reports whether an error says that a newer version, which is a record of its own, took the place of the
// record that was asked for.
func IsNewer(err error) bool {
	e, ok := errors.AsType[*connectors.Error](err)
	return ok && e.Class == connectors.Moved && e.Newer
}

// buryReplaced notes that a newer version took a record's place. A record that was never created across gets a
// tombstone, too: an older version is followed through it to the newest.
func (r *Room) buryReplaced(ctx context.Context, side record.Side, e record.Entry, to record.Ref, at time.Time) error {
	why := fmt.Sprintf("%s took its place", to)
	r.Count(side.String()+".replaced", 1)
	r.Buried[e.Num] = at
	return r.store.Bury(ctx, r.Lease, record.Tombstone{Entry: e.Num, Evidence: record.EvidenceReplaced, Why: why, Moved: to.ID, At: at})
}
