package observe

import (
	"context"
	"fmt"
	"slices"
	"time"

	"nightporter/sync/plan"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// outOfSight says why nobody can see a linked record as it is now, "" where somebody can: no
// read can make sense of it, or the last whole list did not show it and it can't be asked for.
// What is written to such a record goes over what nobody has seen, or nowhere.
func outOfSight(e record.Entry, reads bool) string {
	switch {
	case e.State == record.Quarantined:
		return e.Why
	case e.State.Doubted() && !reads:
		return "its list does not show it any more, and it can't be read by its id: whether it is gone is not known"
	}
	return ""
}

// Vanished notes that a system has no record to write to. Where nothing can be read by its id
// that is all that is known of it: no more is sent until a list shows it.
func (r *Room) Vanished(a plan.Action) {
	r.Count("vanished", 1)
	if r.CanRead(a.Side) {
		return
	}
	r.denied(a, "its system says that it is not there, no list shows it, and it can't be read by its id")
}

// unshown reports whether no read shows what a change of a record goes by: its list leaves it
// out and it can't be read by its id, or the last read by its id says that the part which is to
// be changed is not there yet.
func (r *Room) unshown(e record.Entry, a plan.Action) bool {
	if !r.CanRead(a.Side) {
		return e.State == record.OutOfScope
	}
	return slices.ContainsFunc(r.lacked[a.Side][e.Ref], func(p string) bool { return a.Change.Before[p].Observed() })
}

// ChangedUnseen notes that a system says once more of a record that it was changed, where nobody
// can see how: what is planned anew is the same change, and would be answered so again. Until a
// read shows the record no more is sent.
func (r *Room) ChangedUnseen(ctx context.Context, a plan.Action) (bool, error) {
	if !r.disagreed[a.Digest()] {
		if r.disagreed == nil {
			r.disagreed = map[string]bool{}
		}
		r.disagreed[a.Digest()] = true
		return false, nil
	}
	e, ok, err := r.store.Entry(ctx, r.Place(a.Side), a.Change.Ref)
	if err != nil || !ok || !r.unshown(e, a) {
		return false, err
	}
	r.denied(a, "its system says that it was changed, and no read shows how")
	return true, nil
}

// denied notes what a system said of a record that it was asked to change, and that no read can
// show otherwise.
func (r *Room) denied(a plan.Action, text string) {
	f := run.FindingOf(record.FindUnseen, a)
	f.Text, f.Asked = text, time.Now()
	r.NoteFinding(f)
}

// stillDenied is what a system said of a record when it was asked to change it, where no read
// shows otherwise since, or none was made in this run.
func (r *Room) stillDenied(e record.Entry, a plan.Action) (text string, at time.Time) {
	k := run.FindingOf(record.FindUnseen, a).For()
	f, known := r.Found.Fresh[k]
	if !known {
		f = r.Found.Known[k]
	}
	unread := r.CanRead(a.Side) && !r.LookedAgain[e.Num]
	if f.Asked.IsZero() || !unread && !r.unshown(e, a) {
		return "", time.Time{}
	}
	return f.Text, f.Asked
}

// Unseen keeps a change from a record that nobody can see as it is. One that can be read by
// its id is read once more in each run: what that shows is planned anew.
func (r *Room) Unseen(ctx context.Context, a plan.Action) (bool, error) {
	if a.Change.Op == record.Create {
		return false, nil
	}
	e, ok, err := r.store.Entry(ctx, r.Place(a.Side), a.Change.Ref)
	if err != nil || !ok {
		return false, err
	}
	reads, f := r.CanRead(a.Side), run.FindingOf(record.FindUnseen, a)
	seen := func() bool {
		if f.Text = outOfSight(e, reads); f.Text == "" {
			f.Text, f.Asked = r.stillDenied(e, a)
		}
		return f.Text == ""
	}
	if seen() {
		return false, nil
	}
	if reads && !r.LookedAgain[e.Num] {
		r.LookedAgain[e.Num] = true
		err := r.Refresh(ctx, a.Side, e.Ref)
		if stop := r.PassOver(a.Side, err, new(int)); stop != nil {
			return false, fmt.Errorf("look at %s, which could not be read: %w", e.Ref, stop)
		}
		if e, _, err = r.store.Entry(ctx, r.Place(a.Side), e.Ref); err != nil {
			return false, err
		}
		if seen() {
			r.Count("stale", 1)
			r.Strays = true // it is planned anew
			return true, nil
		}
	}
	r.NoteFinding(f)
	r.Note(a.Side, e.Ref, record.Waiting, "nothing is written to it: "+f.Text)
	return true, nil
}
