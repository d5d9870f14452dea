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

// outOfSight says why nobody can see a linked record as it is now, "" if somebody can. Either no read can make
// sense of the record, or the last whole list did not show it and it can't be asked for: reads says whether it can.
// Or the record has left the filter of its side, and the side takes no change of it.
// A write to such a record would replace what nobody has seen, or reach nothing.
func (r *Room) outOfSight(side record.Side, e record.Entry, reads bool) string {
	switch {
	case e.State == record.Quarantined:
		return e.Why
	case e.State.Doubted() && !reads:
		return "its list does not show it any more, and it can't be read by its id: whether it is gone is not known"
	case e.State == record.OutOfScope && reads && !r.Outside(side, e.Last()):
		return fmt.Sprintf("the record is outside of what is read of %s: let the filter show it, or make the change there by hand", r.Side(side).System)
	}
	return ""
}

// Vanished notes that a system says it has no such record to write to. If nothing can be read by id there, nothing
// more can be learnt, and no more is sent until a list shows the record.
func (r *Room) Vanished(a plan.Action) {
	r.Count("vanished", 1)
	if r.CanRead(a.Side) {
		return
	}
	r.denied(a, "its system says that it is not there, no list shows it, and it can't be read by its id")
}

// unshown reports whether no read shows what a change of a record is based on. Either the record is outside of what
// is listed and can't be read by its id, or the last read by its id said that the part to be changed is not there
// yet.
func (r *Room) unshown(e record.Entry, a plan.Action) bool {
	if !r.CanRead(a.Side) {
		return e.State == record.OutOfScope
	}
	return slices.ContainsFunc(r.lacked[a.Side][e.Ref], func(p string) bool { return a.Change.Before[p].Observed() })
}

// ChangedUnseen notes that a system says for the second time of a record that it was changed, where nobody can see
// how. A new plan would hold the same change, and get the same answer. So nothing more is sent until a read shows
// the record. It reports whether that is so.
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

// denied keeps, as a finding, what a system said when it was asked to change a record and no read can show
// otherwise.
func (r *Room) denied(a plan.Action, text string) {
	f := run.FindingOf(record.FindUnseen, a)
	f.Text, f.Asked = text, time.Now()
	r.NoteFinding(f)
}

// stillDenied returns what a system said when it was asked to change a record, and when. The text is "" if the
// system said nothing, or if a read shows the record otherwise since. If the record can be read by id, that read
// must be of this run.
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

// Unseen reports whether a change must not be sent, because nobody can see its record as it is. If the record can
// be read by its id, it is read once more in each run. If the record can be seen then, it is planned anew.
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
		if f.Text = r.outOfSight(a.Side, e, reads); f.Text == "" {
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
