package settle

import (
	"context"
	"slices"

	"nightporter/connectors"
	"nightporter/sync/apply"
	"nightporter/sync/plan"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// resend sends an intent again, under its own key or with its own mark. It reports whether the intent stays open.
func (r *Room) resend(ctx context.Context, in record.Intent) (bool, error) {
	if !r.observe.Restored.IsZero() { // it may have been answered after the copy was made, and long ago
		return true, nil
	}
	side := in.Place.Side
	if held, err := r.trust.Held(ctx, side); err != nil || held {
		return true, err
	}
	if err := r.trust.Prove(ctx, side); err != nil {
		return true, err
	}
	if kept, err := r.guards.KeptAgain(ctx, in); err != nil || kept {
		return true, err
	}
	out, err := r.trials.Door().Again(ctx, in)
	if err != nil {
		return true, err
	}
	switch out.Result {
	case apply.Put:
		return true, r.AsksToWait(ctx, plan.Action{Side: side, From: in.From, Change: in.Change}, out)
	case apply.Kept:
		_, err := r.trust.Held(ctx, side) // notes why
		return true, err
	case apply.Done:
		r.Count(side.String()+"."+run.Past(in.Change.Op), 1)
		return false, nil
	case apply.Taken:
		return true, r.LoseTaken(ctx, in, out.Receipt.Ref)
	case apply.Unknown, apply.Met, apply.Changed, apply.Vanished, apply.Unread, apply.Said:
	}
	return true, nil
}

// refused reports whether a create was sent again and refused by its system. It is not sent once more, and lists
// say whether the first request came through.
func refused(in record.Intent) bool {
	return slices.Contains([]connectors.ErrorClass{
		connectors.Rejected, connectors.Refused, connectors.Forbidden, connectors.Malformed, connectors.Exists,
	}, connectors.ErrorClass(in.Class))
}

// onceMore sends a create again that its system applies only once. It does not if somebody may have entered the
// record by hand: a record with its keys is there by now, or may be there without a list that shows it yet.
func (r *Room) onceMore(ctx context.Context, in record.Intent) error {
	side, m := in.Place.Side, r.Job.Mapping
	canonical, _ := m.Read(side, in.Change.Fields)
	same, err := r.store.Matching(ctx, r.Place(side), m.Keys(side, in.Change.Fields, run.ResolvedOnly(canonical)))
	if err != nil {
		return err
	}
	open := len(same) > 0 && r.Young(in)
	switch {
	case open: // it may yet be applied
	case len(same) > 0:
		err = r.Drop(ctx, in, "a record with its keys is there")
	case r.proof.MayHide(side, in.Change):
		open = true
	default:
		open, err = r.resend(ctx, in)
	}
	r.match.Open[in.From] = open
	return err
}
