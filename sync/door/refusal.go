package door

import (
	"context"
	"fmt"

	"nightporter/connectors"
	"nightporter/sync/apply"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// refused deals with a change that a system said no to. If a booking was refused for lack of room, the side that
// took the booking is told.
func (r *Room) refused(ctx context.Context, a plan.Action, out apply.Outcome) error {
	r.Count("refused", 1)
	if a.Change.Op == record.Delete {
		return r.deleteRefused(ctx, a, out)
	}
	if out.Class == connectors.Forbidden {
		r.findings.Stopped[a.Side] = string(out.Class)
		told := r.findings.Knows(record.FindForbidden, a.Side)
		r.FindAnswer(record.FindForbidden, a, out.Err)
		if told {
			return nil
		}
		return r.Alert(ctx, a.From, "read_only", fmt.Sprintf("%s does not allow writing: %v", r.Side(a.Side).System, out.Err))
	}
	if a.Change.Op != record.Create {
		r.FindAnswer(record.FindRefused, a, out.Err)
		r.Note(a.Side, a.Change.Ref, record.Quarantined, out.Err.Error())
		return r.gone.AskAnew(ctx, a)
	}
	from := a.Side.Other()
	if b := r.Job.Booking; b != nil && a.Side == b.Authority && out.Class == connectors.Refused {
		return r.tellRefused(ctx, a, from, out.Err)
	}
	r.FindAnswer(record.FindRefused, a, out.Err)
	r.Note(from, a.Source, record.Quarantined, out.Err.Error())
	if b := r.Job.Booking; b != nil && a.Side == b.Authority {
		e := record.Entry{Num: a.From, Ref: a.Source}
		if err := r.TellOnce(ctx, from, e, fmt.Sprintf("can't be entered as it is: %v", out.Err)); err != nil {
			return err
		}
	}
	return r.store.Park(ctx, r.Lease, a.From, record.Quarantined, "", fmt.Sprintf("%s refused it: %v", r.Side(a.Side).System, out.Err))
}
