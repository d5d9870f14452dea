package match

import (
	"context"
	"fmt"
	"time"

	"nightporter/sync/record"
)

// A state that was put back to an older copy does not know what was created since:
// that stands on both sides, unlinked here. So until both sides were read whole, by
// lists begun when none of them could still hide what was made before, what is missing
// on one side is only adopted, which is to say linked where a match is found, and never
// made. A job whose records are told by those of another job waits for that one, too.

// NotePutBack asks the store whether this is such a state.
func (r *Room) NotePutBack(ctx context.Context) error {
	since, yes, err := r.store.AdoptOnly(ctx, r.Job.Binding)
	if err != nil {
		return fmt.Errorf("look whether the state of %s was put back: %w", r.Job.Binding, err)
	}
	if yes {
		r.observe.Restored = since
	}
	return nil
}

// Compared reports whether both sides were read whole since the state was put back;
// always for one that never was.
func (r *Room) Compared(ctx context.Context) (bool, error) {
	if r.observe.Restored.IsZero() {
		return true, nil
	}
	for _, ref := range r.Job.References {
		if ref.Binding == r.Job.Binding {
			continue
		}
		// A booking is told by its guest, too, and he may be just as unlinked here.
		if _, yes, err := r.store.AdoptOnly(ctx, ref.Binding); err != nil || yes {
			return false, err
		}
	}
	return r.BothRead(ctx)
}

// BothRead reports whether both sides were read whole since the state was put back.
func (r *Room) BothRead(ctx context.Context) (bool, error) {
	for _, side := range record.Sides {
		if whole, err := r.WholeSince(ctx, side); err != nil || !whole {
			return false, err
		}
	}
	return true, nil
}

// WholeSince reports whether a side was read whole since the state was put back; always for
// one that never was.
func (r *Room) WholeSince(ctx context.Context, side record.Side) (bool, error) {
	if r.observe.Restored.IsZero() {
		return true, nil
	}
	scans, err := r.store.Ended(ctx, r.Place(side), 8)
	if err != nil {
		return false, err
	}
	for _, s := range scans {
		if s.Certificate.Complete && !s.Scan.Started.Before(r.observe.Restored.Add(r.Side(side).Settle).Truncate(time.Millisecond)) &&
			s.Scan.Spec.Mapping == r.Job.Mapping.Fingerprint(side) {
			return true, nil
		}
	}
	return false, nil
}

// EndPutBack lets a state that was compared be one like any other.
func (r *Room) EndPutBack(ctx context.Context) error {
	if r.observe.Restored.IsZero() {
		return nil
	}
	ok, err := r.Compared(ctx)
	if err != nil || !ok {
		return err
	}
	if err := r.NotePutBackOver(ctx); err != nil {
		return err
	}
	if err := r.store.ClearAdoptOnly(ctx, r.Lease, time.Now()); err != nil {
		return fmt.Errorf("note that both sides of %s were compared: %w", r.Job.Binding, err)
	}
	r.observe.Restored = time.Time{}
	return nil
}
