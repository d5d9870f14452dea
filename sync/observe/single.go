package observe

import (
	"context"
	"errors"
	"fmt"

	"nightporter/connectors"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// PassOver returns nil for an error of a read by id that may concern only one record, and otherwise the error that
// ends the run. failed counts the errors that may be the system's own: after run.Patience of them the next one ends
// the run.
func (r *Room) PassOver(side record.Side, err error, failed *int) error {
	class := connectors.ClassOf(err)
	_, classed := errors.AsType[*connectors.Error](err)
	switch {
	case err == nil, errors.Is(err, run.ErrBehind), ofQuestion(class):
		return nil
	case class == connectors.Forbidden:
		if r.Readable[side] || r.Barred[side] <= run.Patience {
			return nil
		}
		return fmt.Errorf("%s: %w", r.Closed(side), err)
	case class == connectors.Unauthorized, class == connectors.Throttled, !classed, *failed >= run.Patience:
		return err
	}
	*failed++
	return nil
}

// ReadFirst reads a record by its id before something is written that rests on it. read is false if the record
// can't be read now: then what rests on it waits.
func (r *Room) ReadFirst(ctx context.Context, side record.Side, ref record.Ref) (read bool, err error) {
	err = r.Refresh(ctx, side, ref)
	if stop := r.PassOver(side, err, new(int)); stop != nil {
		return false, fmt.Errorf("look at %s as it is now: %w", ref, stop)
	}
	if err != nil {
		r.Count("postponed", 1)
		r.NoteUnread(side, ref, err)
		return false, nil
	}
	return true, nil
}

// IfBarred only notes a record that may not be read (Forbidden). It returns an error if the side turns out to let
// no record be read, and any other error as it is.
func (r *Room) IfBarred(side record.Side, ref record.Ref, err error) error {
	if connectors.ClassOf(err) != connectors.Forbidden {
		return err
	}
	if err := r.PassOver(side, err, nil); err != nil {
		return err
	}
	r.NoteUnread(side, ref, err)
	return nil
}
