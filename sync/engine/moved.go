package engine

import (
	"context"
	"slices"
	"time"

	"nightporter/sync/plan/away"
	"nightporter/sync/plan/undo"
	"nightporter/sync/record"
)

// What no job maps is in no field that is compared. Where a record's version, or its time of
// change, is another than when its link was settled, the record counts as edited all the same
// before it is taken away. See record.Revision.

// unmoved reports whether the read before a change shows the record at the revision that the
// change was decided upon. It is asked of changes by which a record is taken away.
func (r *run) unmoved(ctx context.Context, in record.Intent, now record.Record) (bool, error) {
	if !takesAway(in) {
		return true, nil
	}
	e, ok, err := r.Store.Entry(ctx, in.Place, in.Change.Ref)
	if err != nil || !ok {
		return true, err
	}
	return e.Revision.Unsaid || !e.Revision.Now.Against(record.Sign{Version: now.Version, Changed: now.Changed}), nil
}

// takesAway reports whether a change deletes a record, or puts it aside.
func takesAway(in record.Intent) bool {
	return in.Change.Op == record.Delete || slices.ContainsFunc(in.Fields, func(f record.FieldReason) bool { return f.Policy == away.GoneRule })
}

// revisionOf names the revision of a record that was edited by what its system says of it, "" for
// one that was not.
func revisionOf(e record.Entry) string {
	if !e.Revision.Moved() {
		return ""
	}
	now := e.Revision.Now
	if now.Changed.IsZero() {
		return string(now.Version)
	}
	return string(now.Version) + " " + now.Changed.UTC().Format(time.RFC3339Nano)
}

// movedSince reports whether a record was changed since our last write to it was answered, by what
// its system says, of one that a run made. Where no answer said it, what was settled does.
func (r *run) movedSince(ctx context.Context, x *undo.Undoing, e record.Entry) (bool, error) {
	if x.Made[0].Change.Op != record.Create || e.Revision.Moved() {
		return e.Revision.Moved(), nil
	}
	last := x.Made[len(x.Made)-1].Receipt
	since, err := r.Store.MadeSince(ctx, x.Link, x.Side, x.Run)
	if err != nil {
		return false, err
	}
	for _, in := range since {
		if in.Receipt != nil {
			last = *in.Receipt
		}
	}
	return e.Revision.Now.Against(record.Sign{Version: last.Version, Changed: last.Changed}), nil
}
