package run

import (
	"context"
	"slices"

	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// What no job maps is in no field that is compared. Where a record's version, or its time of
// change, is another than when its link was settled, the record counts as edited all the same
// before it is taken away. See record.Revision.

// Unmoved reports whether the read before a change shows the record at the revision that the
// change was decided upon. It is asked of changes by which a record is taken away.
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
