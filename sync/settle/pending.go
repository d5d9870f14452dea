package settle

import (
	"context"
	"fmt"
	"time"

	"nightporter/sync/record"
)

// pendingFor is how far back bookings that were entered as pending are watched.
const pendingFor = 30 * 24 * time.Hour

// WatchPending looks at bookings that arrived as pending, and tells of those that the desk has neither confirmed
// nor refused in time. A booking that was once seen to be answered stays so: a house enters thousands, and to look
// at all of them in every run would cost more than the run itself.
func (r *Room) WatchPending(ctx context.Context) error {
	b := r.Job.Booking
	if b.Pending == "" {
		return nil
	}
	made, err := r.store.Made(ctx, r.Place(b.Authority), time.Now().Add(-pendingFor))
	if err != nil {
		return err
	}
	known, _ := r.Answered.Load(r.Job.Binding)
	before, _ := known.(map[record.LinkID]bool)
	answered := make(map[record.LinkID]bool, len(made)) // bookings that are too old drop out
	for _, m := range made {
		if time.Since(m.At) < b.AnswerWithin {
			continue
		}
		if !before[m.Link] {
			if yes, err := r.answer(ctx, m); err != nil {
				return err
			} else if !yes {
				continue
			}
		}
		answered[m.Link] = true
	}
	r.Answered.Store(r.Job.Binding, answered)
	return nil
}

// answer reports whether the desk has answered a booking. If it has not, a person is told.
func (r *Room) answer(ctx context.Context, m record.Made) (bool, error) {
	b := r.Job.Booking
	pair, ok, err := r.store.Pair(ctx, m.Link)
	if err != nil || !ok {
		return false, err
	}
	e := pair.Sides[b.Authority]
	s, err := r.refer.SideOf(ctx, b.Authority, e)
	if err != nil {
		return false, err
	}
	if is := s.Now[b.Status].Text(); is != b.Pending {
		return is != "", nil
	}
	return false, r.TellLate(ctx, b.Authority, e, m.At, "the desk has neither confirmed nor refused it")
}

// TellLate alerts, once, about a booking without an answer.
func (r *Room) TellLate(ctx context.Context, side record.Side, e record.Entry, asked time.Time, why string) error {
	return r.TellOnce(ctx, side, e, fmt.Sprintf("has had no answer for %s: %s", time.Since(asked).Round(time.Minute), why))
}
