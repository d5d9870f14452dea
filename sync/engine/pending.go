package engine

import (
	"context"
	"fmt"
	"time"

	"nightporter/sync/record"
)

// watchAnswers tells the desk about bookings that nobody has entered or refused for
// longer than was promised.
func (r *run) watchAnswers(ctx context.Context) error {
	b := r.job.Booking
	if b == nil || b.AnswerWithin <= 0 {
		return nil
	}
	if err := r.watchPending(ctx); err != nil {
		return err
	}
	side := b.Authority.Other()
	late := time.Now().Add(-b.AnswerWithin)
	after := int64(0)
	for {
		es, err := r.Store.Unlinked(ctx, r.place(side), after, batch)
		if err != nil || len(es) == 0 {
			return err
		}
		for _, e := range es {
			after = e.Num
			if e.Since.After(late) || e.State == record.Attached { // the one that stands for it is told of
				continue
			}
			why := e.Why
			if why == "" {
				why = "it could not be entered yet"
			}
			if err := r.tellLate(ctx, side, e, e.Since, why); err != nil {
				return err
			}
		}
	}
}

// pendingFor is how far back bookings that were entered as pending are watched.
const pendingFor = 30 * 24 * time.Hour

// watchPending looks at bookings that arrived as pending and that the desk has
// neither confirmed nor refused. One that was seen answered stays so: a house enters
// thousands, and to read them all at every run would cost more than the run itself.
func (r *run) watchPending(ctx context.Context) error {
	b := r.job.Booking
	if b.Pending == "" {
		return nil
	}
	made, err := r.Store.Made(ctx, r.place(b.Authority), time.Now().Add(-pendingFor))
	if err != nil {
		return err
	}
	known, _ := r.answered.Load(r.job.Binding)
	before, _ := known.(map[record.LinkID]bool)
	answered := make(map[record.LinkID]bool, len(made)) // those of old drop out
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
	r.answered.Store(r.job.Binding, answered)
	return nil
}

// answer reports whether the desk has answered a booking, and tells it if it has not.
func (r *run) answer(ctx context.Context, m record.Made) (bool, error) {
	b := r.job.Booking
	pair, ok, err := r.Store.Pair(ctx, m.Link)
	if err != nil || !ok {
		return false, err
	}
	e := pair.Sides[b.Authority]
	s, err := r.sideOf(ctx, b.Authority, e)
	if err != nil {
		return false, err
	}
	if is := s.Now[b.Status].Text(); is != b.Pending {
		return is != "", nil
	}
	return false, r.tellLate(ctx, b.Authority, e, m.At, "the desk has neither confirmed nor refused it")
}

// tellLate alerts, once, about a booking without an answer.
func (r *run) tellLate(ctx context.Context, side record.Side, e record.Entry, asked time.Time, why string) error {
	return r.tellOnce(ctx, side, e, fmt.Sprintf("has had no answer for %s: %s", time.Since(asked).Round(time.Minute), why))
}

// tellOnce alerts, once, about a booking that waits for somebody.
func (r *run) tellOnce(ctx context.Context, side record.Side, e record.Entry, what string) error {
	const kind = "booking_waiting"
	told, err := r.Store.Alerted(ctx, r.job.Binding, e.Num, kind)
	if err != nil || told {
		return err
	}
	r.count("unanswered", 1)
	return r.alert(ctx, e.Num, kind, fmt.Sprintf("%s of %s %s", e.Ref, r.side(side).System, what))
}

// letPass lets d pass, or less if ctx is done.
func (r *run) letPass(ctx context.Context, d time.Duration) error {
	if r.Pause != nil {
		return r.Pause(ctx, d)
	}
	return wait(ctx, d)
}

// wait sleeps until d has passed or ctx is done.
func wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
