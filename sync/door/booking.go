package door

import (
	"context"
	"fmt"
	"time"

	"nightporter/sync/apply"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// tellRefused tells the side that took a booking that there is no room for it, and alerts the desk that the
// guest must be called.
func (r *Room) tellRefused(ctx context.Context, a plan.Action, from record.Side, cause error) error {
	err := r.Alert(ctx, a.From, "booking_refused", fmt.Sprintf(
		"%s of %s was refused by %s: %v", a.Source, r.Side(from).System, r.Side(a.Side).System, cause))
	if err != nil {
		return err
	}
	e, ok, err := r.store.Entry(ctx, r.Place(from), a.Source)
	if err != nil || !ok {
		return err
	}
	s, err := r.refer.SideOf(ctx, from, e)
	if err != nil {
		return err
	}
	tell, err := r.StatusAction(from, s.Side, 0, r.Job.Booking.Refused, "there is no room for it")
	if err != nil {
		return err
	}
	if may, err := r.guards.MayTell(ctx, tell); err != nil || !may {
		return err
	}
	_, _, err = r.Act(ctx, tell)
	return err
}

// afterCreate does what follows a settled change of a booking. It asks whether the room of a new booking is still
// free, and notes when the side that took a refused booking was told so.
func (r *Room) afterCreate(ctx context.Context, a plan.Action, out apply.Outcome) error {
	b := r.Job.Booking
	switch {
	case b == nil:
		return nil
	case a.Link == 0 && a.Change.Op != record.Create: // the side that took the booking was told no
		return r.store.Park(ctx, r.Lease, a.From, record.Refused, "", "there was no room for it, and the platform was told")
	case a.Change.Op != record.Create || a.Side != b.Authority || !b.Asks:
		return nil
	}
	r.Entered = time.Now()
	return r.AskAgain(ctx, out.Link, nil)
}
