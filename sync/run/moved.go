package run

import (
	"context"
	"slices"

	"nightporter/sync/plan/away"
	"nightporter/sync/record"
)

// Before a record is written, it is read once more. That read must still show the record that was linked: systems give
// the id of a deleted record to another one, and no list of this run may have told so.

// IsLinked reports whether a read shows the record that was linked, as far as anybody can tell. An example of another
// one: booking 1 was Anna's, was deleted, and is Otto's today.
func (j *Job) IsLinked(side record.Side, e record.Entry, now record.Record) bool {
	if born, known := record.Birth(e.Witness); known {
		return now.Created.IsZero() || record.SameBirth(born, now.Created)
	}
	e.Seen = &record.Observation{Fields: now.Fields, View: "get"}
	return !j.BecameAnother(side, e)
}

// Values that no job maps are in no field that is compared. So before a record is taken away, its
// version and its time of change are looked at: if either is another one than when the link was
// settled, the record counts as edited. See record.Revision.

// Unmoved reports whether the read before a change shows the record that was linked. If the change takes the record
// away, the read must also show it at the revision that the change was decided upon, where one is known.
func (r *Run) Unmoved(ctx context.Context, in record.Intent, now record.Record) (bool, error) {
	e, ok, err := r.store.Entry(ctx, in.Place, in.Change.Ref)
	switch {
	case err != nil || !ok:
		return true, err
	case in.Link != 0 && !r.Job.IsLinked(in.Place.Side, e, now):
		return false, nil
	case !takesAway(in):
		return true, nil
	}
	return e.Revision.Unsaid || !e.Revision.Now.Against(record.Sign{Version: now.Version, Changed: now.Changed}), nil
}

// takesAway reports whether a change deletes a record, or puts it aside.
func takesAway(in record.Intent) bool {
	return in.Change.Op == record.Delete || slices.ContainsFunc(in.Fields, func(f record.FieldReason) bool { return f.Policy == away.GoneRule })
}
