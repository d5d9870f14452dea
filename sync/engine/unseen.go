package engine

import (
	"context"
	"fmt"

	"nightporter/sync/plan"
	"nightporter/sync/record"
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

// vanished notes that a system has no record to write to. Where nothing can be read by its id
// that is all that is known of it: no more is sent until a list shows it.
func (r *run) vanished(a plan.Action) {
	r.count("vanished", 1)
	if r.canRead(a.Side) {
		return
	}
	f := findingOf(record.FindUnseen, a)
	f.Text = "its system says that it is not there, no list shows it, and it can't be read by its id"
	r.noteFinding(f)
}

// unseen keeps a change from a record that nobody can see as it is. One that can be read by
// its id is read once more in each run: what that shows is planned anew.
func (r *run) unseen(ctx context.Context, a plan.Action) (bool, error) {
	if a.Change.Op == record.Create {
		return false, nil
	}
	e, ok, err := r.Store.Entry(ctx, r.place(a.Side), a.Change.Ref)
	if err != nil || !ok {
		return false, err
	}
	reads, f := r.canRead(a.Side), findingOf(record.FindUnseen, a)
	if f.Text = outOfSight(e, reads); f.Text == "" && !reads && e.State == record.OutOfScope {
		f.Text = r.found.known[f.For()].Text // its system said so, and no list can show otherwise
	}
	if f.Text == "" {
		return false, nil
	}
	if reads && !r.lookedAgain[e.Num] {
		r.lookedAgain[e.Num] = true
		err := r.refresh(ctx, a.Side, e.Ref)
		if stop := r.passOver(a.Side, err, new(int)); stop != nil {
			return false, fmt.Errorf("look at %s, which could not be read: %w", e.Ref, stop)
		}
		if e, _, err = r.Store.Entry(ctx, r.place(a.Side), e.Ref); err != nil {
			return false, err
		}
		if f.Text = outOfSight(e, reads); f.Text == "" {
			r.count("stale", 1)
			r.strays = true // it is planned anew
			return true, nil
		}
	}
	r.noteFinding(f)
	r.note(a.Side, e.Ref, record.Waiting, "nothing is written to it: "+f.Text)
	return true, nil
}
