package links

import (
	"context"
	"time"

	"nightporter/sync/plan/undo"
	"nightporter/sync/record"
)

// RevisionOf names the revision of a record, if its system says that the record was edited since its link was
// settled; "" if it was not.
func RevisionOf(e record.Entry) string {
	if !e.Revision.Moved() {
		return ""
	}
	now := e.Revision.Now
	if now.Changed.IsZero() {
		return string(now.Version)
	}
	return string(now.Version) + " " + now.Changed.UTC().Format(time.RFC3339Nano)
}

// MovedSince reports whether a record was changed since its link was settled, as its system says. A record that
// the run made counts as changed, too, if its revision is not the one in the last answer to a write of ours. If no
// answer showed a revision, only what was settled counts.
func (r *Room) MovedSince(ctx context.Context, x *undo.Undoing, e record.Entry) (bool, error) {
	if x.Made[0].Change.Op != record.Create || e.Revision.Moved() {
		return e.Revision.Moved(), nil
	}
	last := x.Made[len(x.Made)-1].Receipt
	since, err := r.store.MadeSince(ctx, x.Link, x.Side, x.Run)
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
