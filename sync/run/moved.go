package run

import (
	"context"
	"slices"

	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// Values that no job maps are in no field that is compared. So before a record is taken away, its
// version and its time of change are looked at: if either is another one than when the link was
// settled, the record counts as edited. See record.Revision.

// Unmoved reports whether the read before a change still shows the record at the revision that the change was
// decided upon. It is always true for changes that don't take a record away, and where no revision is known.
func (r *Run) Unmoved(ctx context.Context, in record.Intent, now record.Record) (bool, error) {
	if !takesAway(in) {
		return true, nil
	}
	e, ok, err := r.store.Entry(ctx, in.Place, in.Change.Ref)
	if err != nil || !ok {
		return true, err
	}
	return e.Revision.Unsaid || !e.Revision.Now.Against(record.Sign{Version: now.Version, Changed: now.Changed}), nil
}

// takesAway reports whether a change deletes a record, or puts it aside.
func takesAway(in record.Intent) bool {
	return in.Change.Op == record.Delete || slices.ContainsFunc(in.Fields, func(f record.FieldReason) bool { return f.Policy == away.GoneRule })
}
