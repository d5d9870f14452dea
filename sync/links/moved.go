package links

import (
	"context"
	"time"

	"nightporter/sync/plan/undo"
	"nightporter/sync/record"
)

// RevisionOf names the revision of a record that was edited by what its system says of it, "" for
// one that was not.
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

// MovedSince reports whether a record was changed since our last write to it was answered, by what
// its system says, of one that a run made. Where no answer said it, what was settled does.
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
