package engine

import (
	"context"
	"slices"

	"nightporter/connectors"
	"nightporter/sync/apply"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// resend sends an intent again, under its own key or with its own reference. It
// reports whether the intent stays open.
func (r *run) resend(ctx context.Context, in record.Intent) (bool, error) {
	if !r.restored.IsZero() { // it may have been answered after the copy was made, and long ago
		return true, nil
	}
	side := in.Place.Side
	if held, err := r.held(ctx, side); err != nil || held {
		return true, err
	}
	if err := r.prove(ctx, side); err != nil {
		return true, err
	}
	if kept, err := r.keptAgain(ctx, in); err != nil || kept {
		return true, err
	}
	out, err := r.door().Again(ctx, in)
	if err != nil {
		return true, err
	}
	switch out.Result {
	case apply.Put:
		return true, r.asksToWait(ctx, plan.Action{Side: side, From: in.From, Change: in.Change}, out)
	case apply.Kept:
		_, err := r.held(ctx, side) // notes why
		return true, err
	case apply.Done:
		r.count(side.String()+"."+past(in.Change.Op), 1)
		return false, nil
	case apply.Taken:
		return true, r.loseTaken(ctx, in, out.Receipt.Ref)
	case apply.Unknown, apply.Met, apply.Changed, apply.Vanished, apply.Unread, apply.Said:
	}
	return true, nil
}

// refused reports whether a create was sent again and the system would not have it: it
// is not asked once more, and lists say whether the first request came through.
func refused(in record.Intent) bool {
	return slices.Contains([]connectors.ErrorClass{
		connectors.Rejected, connectors.Refused, connectors.Forbidden, connectors.Malformed, connectors.Exists,
	}, connectors.ErrorClass(in.Class))
}

// appliesOnce reports whether a create may be sent again though the first may have
// been applied: under the same key the system gives the first answer again, and a
// reference that it keeps unique it refuses. That tells nothing of a record that
// somebody entered by hand when ours did not come: that is what is looked for first.
func (r *run) appliesOnce(side record.Side, in record.Intent) bool {
	can := r.side(side).Can
	return can.Idempotent && r.keyHolds(in) || in.Change.Stamp != "" && can.Stamp.Path != "" && can.Stamp.Find && can.Stamp.Unique
}

// onceMore sends a create again that the system applies once, unless a record is there
// by now that is matched by its keys, or may be and no list shows it yet: somebody has
// entered it by hand.
func (r *run) onceMore(ctx context.Context, in record.Intent) error {
	side, m := in.Place.Side, r.job.Mapping
	canonical, _ := m.Read(side, in.Change.Fields)
	same, err := r.Store.Matching(ctx, r.place(side), m.Keys(side, in.Change.Fields, resolvedOnly(canonical)))
	if err != nil {
		return err
	}
	open := len(same) > 0 && r.young(in)
	switch {
	case open: // it may yet be applied
	case len(same) > 0:
		err = r.drop(ctx, in, "a record with its keys is there")
	case r.mayHide(side, in.Change):
		open = true
	default:
		open, err = r.resend(ctx, in)
	}
	r.open[in.From] = open
	return err
}
