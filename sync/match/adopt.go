package match

import (
	"context"
	"fmt"
	"time"

	"nightporter/sync/record"
)

// A state that was put back to an older copy does not know what was created since. Such a record and its partner
// stand on both sides, and have no link here. So what one side lacks is not created until both sides were read
// whole, by lists that were begun when nothing made before could still be hidden from them. Until then records are
// only adopted: linked where a match is found. A job that tells its records by those of another job waits for that
// job, too.

// NotePutBack asks the store whether the state was put back, and notes when. It counts until both sides were
// compared.
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

// Compared reports whether both sides were read whole since the state was put back, and those of the jobs that this
// job refers to as well. It reports true if the state never was put back.
func (r *Room) Compared(ctx context.Context) (bool, error) {
	if r.observe.Restored.IsZero() {
		return true, nil
	}
	for _, ref := range r.Job.References {
		if ref.Binding == r.Job.Binding {
			continue
		}
		// A booking is told by its guest, too, and the guest may be without a link for the same reason.
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

// WholeSince reports whether a side was read whole since the state was put back. It reports true if the state never
// was put back.
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

// EndPutBack notes that both sides were compared, once they were: from then on creates are sent again.
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
