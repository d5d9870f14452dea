package run

import (
	"context"
	"fmt"
	"time"

	"nightporter/sync/apply"
	"nightporter/sync/record"
)

// SaidDone reports whether a system answered that a create is done, and did not say which record it made.
func SaidDone(in record.Intent) bool { return in.Class == string(apply.SaidDone) }

// Young reports whether the system might still apply the change, or might not show it yet.
func (r *Run) Young(in record.Intent) bool {
	return time.Since(in.SentAt) < r.Side(in.Place.Side).Settle
}

// Lose hands an intent to a person, with an alert: nobody can know what became of it.
func (r *Run) Lose(ctx context.Context, in record.Intent, why string) error {
	r.Count("lost", 1)
	if err := r.store.FailIntent(ctx, r.Lease, in.ID, record.Lost, "", why, time.Now()); err != nil {
		return err
	}
	return r.Alert(ctx, in.From, "unknown_outcome", fmt.Sprintf(
		"a new %s for %s was sent to %s and nobody knows whether it arrived: %s",
		in.Change.Ref.Kind, KeyOf(in.Link, in.From), r.Side(in.Place.Side).System, why))
}
