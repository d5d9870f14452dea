package apply

import (
	"context"
	"fmt"
	"time"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// fail stores how an intent stands, or, if it was not kept yet, why nothing of it was sent. It does so even when the
// run was cancelled.
func (a *Applier) fail(ctx context.Context, in record.Intent, st record.IntentState, class connectors.ErrorClass, cause error) error {
	end, now := context.WithoutCancel(ctx), time.Now()
	var err error
	if in.State == "" {
		in.Class, in.Error, in.EndedAt = string(class), cause.Error(), now
		err = a.Journal.NoteUnsent(end, a.Lease, in)
	} else {
		err = a.Journal.FailIntent(end, a.Lease, in.ID, st, string(class), cause.Error(), now)
	}
	if err != nil {
		return fmt.Errorf("note the outcome of %s: %w", in.Change.Ref, err)
	}
	return nil
}

// answered is the one place that says what an error of a write means.
func (a *Applier) answered(ctx context.Context, in record.Intent, err error, again bool) (Outcome, error) {
	class := connectors.ClassOf(err)
	out := Outcome{Class: class, Err: err}
	state := record.Cancelled // nothing was applied, and it is decided anew
	switch class {
	case connectors.Ambiguous:
		out.Result = Unknown
		if in.Change.Op == record.Create && connectors.SaidDone(err) {
			class = SaidDone
		}
		return out, a.fail(ctx, in, record.Sent, class, err)
	case connectors.Transient, connectors.Throttled, connectors.Unauthorized, connectors.Unsupported:
		out.Result = Put
	case connectors.Stale:
		out.Result = Changed
	case connectors.NotFound, connectors.OutOfScope, connectors.Moved:
		out.Result = Vanished
	case connectors.Exists:
		if in.Change.Op != record.Create { // the record of another change is known: there is none to look up
			out.Result, state = Said, record.Rejected
			break
		}
		out.Result = Met
		state = record.Sent // the intent stays open until the record that is there is known
	case connectors.Rejected, connectors.Refused, connectors.Forbidden, connectors.Malformed:
		out.Result, state = Said, record.Rejected
	default:
		out.Result = Unknown
		state = record.Sent
	}
	if again && (state == record.Cancelled || state == record.Rejected) {
		state = record.Sent // a no to this request says nothing about the first, which may come late
	}
	return out, a.fail(ctx, in, state, class, err)
}
