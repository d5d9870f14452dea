package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// sourceStands reports whether the record that a create is made from still is as it
// was when the create was decided.
func (r *run) sourceStands(ctx context.Context, a plan.Action) (bool, error) {
	from := a.Side.Other()
	if !r.canRead(from) {
		return r.listedStill(ctx, from, a)
	}
	if r.showed[from] {
		return true, nil
	}
	was, ok, err := r.Store.Entry(ctx, r.place(from), a.Source)
	if err != nil || !ok {
		return true, err
	}
	now, read, err := r.sourceNow(ctx, from, was)
	if err != nil || !read {
		return err == nil, err
	}
	if departed(now) || now.State == record.Quarantined {
		return false, nil
	}
	if !now.Last().Equal(was.Last()) {
		r.strays = true // it is planned anew
		return false, nil
	}
	return true, nil
}

// listedStill is sourceStands for a record that can't be read by its id. Where no list of this
// run has shown it the whole list is read, once: a list of what changed does not tell that a
// record left.
func (r *run) listedStill(ctx context.Context, from record.Side, a plan.Action) (bool, error) {
	was, ok, err := r.Store.Entry(ctx, r.place(from), a.Source)
	if err != nil || !ok {
		return true, err
	}
	now := was
	switch shown := r.showed[from] || was.Seen != nil && r.ofThisRun(was.Seen.At); {
	case !shown && r.opt.Skip[from]:
		r.note(from, was.Ref, record.Waiting, "it can't be read by its id, and its list is not read in this run: whether it is still there is not known")
		return false, nil
	case !shown:
		if err := r.pullWhole(ctx, from); err != nil {
			return false, fmt.Errorf("look whether %s is still there: %w", was.Ref, err)
		}
		if now, _, err = r.Store.Entry(ctx, r.place(from), was.Ref); err != nil {
			return false, err
		}
	}
	if !departed(now) && now.Last().Equal(was.Last()) {
		return true, nil
	}
	r.strays = true // it is planned anew
	return false, nil
}

// stepStands reports whether the record that a step of a status comes from says so still, read
// by id: a list that lags may show a cancel that was taken back since, and what it would end is
// resold before anybody can undo it. So does one that takes a record back from its end. Any other
// step is looked at where no list shows its record any more: it may have been cancelled outside of
// what is read.
func (r *run) stepStands(ctx context.Context, a plan.Action) (bool, error) {
	from := a.Side.Other()
	grave := a.Risk == plan.RiskCancel || r.revives(a)
	if !grave && a.Change.Op != record.Action || !r.side(from).Can.Get {
		return true, nil
	}
	was, ok, err := r.Store.Entry(ctx, r.place(from), a.Source)
	switch {
	case err != nil || !ok || was.Link != a.Link: // it is not brought across
		return true, err
	case !grave && !departed(was):
		return true, nil
	case was.Seen != nil && was.Seen.View == "get" && r.ofThisRun(was.Seen.At):
		return true, nil
	}
	if read, err := r.readFirst(ctx, from, was.Ref); err != nil || !read {
		return false, err
	}
	now, _, err := r.Store.Entry(ctx, r.place(from), was.Ref)
	if err != nil || now.State == was.State && now.Last().Equal(was.Last()) {
		return err == nil, err
	}
	r.count("stale", 1)
	r.strays = true // it is planned anew
	return false, nil
}

// revives reports whether a change takes a record back from its end.
func (r *run) revives(a plan.Action) bool {
	return slices.ContainsFunc(a.Fields, func(f record.FieldReason) bool {
		ended := func(v record.Value) bool { return plan.Ends(r.job.Rules, f.Field, v.Text()) }
		return ended(f.Before) && !ended(f.After)
	})
}

// sourceNow reads the record by id that another is made from, where no whole list of this
// run showed it. Neither a list of what changed nor one that is not whole tells that a
// record left, nor one that an earlier run began, of which left what its first pages
// showed; and one whose create had to wait may have left long ago. What a list of
// this run did show is known well enough: then it reports false.
func (r *run) sourceNow(ctx context.Context, side record.Side, e record.Entry) (record.Entry, bool, error) {
	if e.Seen == nil || r.ofThisRun(e.Seen.At) {
		return e, false, nil
	}
	if err := r.refresh(ctx, side, e.Ref); err != nil {
		return e, false, fmt.Errorf("look whether %s is still there: %w", e.Ref, err)
	}
	now, _, err := r.Store.Entry(ctx, r.place(side), e.Ref)
	return now, true, err
}

// departed reports whether a record is not there any more, as far as anybody knows.
func departed(e record.Entry) bool {
	return slices.Contains([]record.EntryState{record.Gone, record.Suspect, record.Missed, record.OutOfScope}, e.State)
}

// sourceThere reports whether the record that an open create was made from is there as
// far as anybody knows: what somebody has removed since is not sent again. Where it can't
// be read now nothing is known. failed counts such records: one stops nothing.
func (r *run) sourceThere(ctx context.Context, in record.Intent, failed *int) (there, known bool, err error) {
	es, err := r.Store.Entries(ctx, []int64{in.From})
	if err != nil {
		return false, false, err
	}
	from, e := in.Place.Side.Other(), es[in.From]
	if r.showed[from] || departed(e) {
		return !departed(e), true, nil
	}
	now, read, err := r.sourceNow(ctx, from, e)
	if stop := r.passOver(from, err, failed); stop != nil {
		return false, false, stop
	}
	if read && now.State == record.Quarantined {
		err = errors.New(now.Why)
	}
	if err != nil {
		r.noteUnread(from, e.Ref, err)
		return false, false, nil
	}
	return !departed(now), true, nil
}
