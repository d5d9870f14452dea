package run

import (
	"context"
	"fmt"
	"time"

	"nightporter/sync/apply"
	"nightporter/sync/record"
)

// SaidDone reports whether the system of a create said that it is done, and not what it made.
func SaidDone(in record.Intent) bool { return in.Class == string(apply.SaidDone) }

// Young reports whether the system might still apply, or not yet show, the change.
func (r *Run) Young(in record.Intent) bool {
	return time.Since(in.SentAt) < r.Side(in.Place.Side).Settle
}

// Lose hands an intent to a person: what became of it can't be known.
func (r *Run) Lose(ctx context.Context, in record.Intent, why string) error {
	r.Count("lost", 1)
	if err := r.store.FailIntent(ctx, r.Lease, in.ID, record.Lost, "", why, time.Now()); err != nil {
		return err
	}
	return r.Alert(ctx, in.From, "unknown_outcome", fmt.Sprintf(
		"a new %s for %s was sent to %s and nobody knows whether it arrived: %s",
		in.Change.Ref.Kind, KeyOf(in.Link, in.From), r.Side(in.Place.Side).System, why))
}
