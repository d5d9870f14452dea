package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// disputed is what a run heard of records that are not what its reads show.
type disputed struct {
	disagreed map[string]bool            // actions of which a system said that their record was changed
	lacked    [2]map[record.Ref][]string // what the last reads by id said was not there yet
}

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
	r.denied(a, "its system says that it is not there, no list shows it, and it can't be read by its id")
}

// unshown reports whether no read shows what a change of a record goes by: its list leaves it
// out and it can't be read by its id, or the last read by its id says that the part which is to
// be changed is not there yet.
func (r *run) unshown(e record.Entry, a plan.Action) bool {
	if !r.canRead(a.Side) {
		return e.State == record.OutOfScope
	}
	return slices.ContainsFunc(r.lacked[a.Side][e.Ref], func(p string) bool { return a.Change.Before[p].Observed() })
}

// changedUnseen notes that a system says once more of a record that it was changed, where nobody
// can see how: what is planned anew is the same change, and would be answered so again. Until a
// read shows the record no more is sent.
func (r *run) changedUnseen(ctx context.Context, a plan.Action) (bool, error) {
	if !r.disagreed[a.Digest()] {
		if r.disagreed == nil {
			r.disagreed = map[string]bool{}
		}
		r.disagreed[a.Digest()] = true
		return false, nil
	}
	e, ok, err := r.Store.Entry(ctx, r.place(a.Side), a.Change.Ref)
	if err != nil || !ok || !r.unshown(e, a) {
		return false, err
	}
	r.denied(a, "its system says that it was changed, and no read shows how")
	return true, nil
}

// denied notes what a system said of a record that it was asked to change, and that no read can
// show otherwise.
func (r *run) denied(a plan.Action, text string) {
	f := findingOf(record.FindUnseen, a)
	f.Text, f.Asked = text, time.Now()
	r.noteFinding(f)
}

// stillDenied is what a system said of a record when it was asked to change it, where no read
// shows otherwise since, or none was made in this run.
func (r *run) stillDenied(e record.Entry, a plan.Action) (text string, at time.Time) {
	k := findingOf(record.FindUnseen, a).For()
	f, known := r.found.fresh[k]
	if !known {
		f = r.found.known[k]
	}
	unread := r.canRead(a.Side) && !r.lookedAgain[e.Num]
	if f.Asked.IsZero() || !unread && !r.unshown(e, a) {
		return "", time.Time{}
	}
	return f.Text, f.Asked
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
	seen := func() bool {
		if f.Text = outOfSight(e, reads); f.Text == "" {
			f.Text, f.Asked = r.stillDenied(e, a)
		}
		return f.Text == ""
	}
	if seen() {
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
		if seen() {
			r.count("stale", 1)
			r.strays = true // it is planned anew
			return true, nil
		}
	}
	r.noteFinding(f)
	r.note(a.Side, e.Ref, record.Waiting, "nothing is written to it: "+f.Text)
	return true, nil
}
