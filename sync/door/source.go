package door

import (
	"context"
	"fmt"
	"slices"

	"nightporter/sync/match"
	"nightporter/sync/plan"
	"nightporter/sync/record"
)

// sourceStands reports whether the record that a create is made from still is as it
// was when the create was decided.
func (r *Room) sourceStands(ctx context.Context, a plan.Action) (bool, error) {
	from := a.Side.Other()
	if !r.CanRead(from) {
		return r.listedStill(ctx, from, a)
	}
	if r.observe.Showed[from] {
		return true, nil
	}
	was, ok, err := r.store.Entry(ctx, r.Place(from), a.Source)
	if err != nil || !ok {
		return true, err
	}
	now, read, err := r.proof.SourceNow(ctx, from, was)
	if err != nil || !read {
		return err == nil, err
	}
	if match.Departed(now) || now.State == record.Quarantined {
		return false, nil
	}
	if !now.Last().Equal(was.Last()) {
		r.observe.Strays = true // it is planned anew
		return false, nil
	}
	return true, nil
}

// listedStill is sourceStands for a record that can't be read by its id. If no list of this run has shown the
// record, the whole list is read, once: a list of what changed does not tell that a record left.
func (r *Room) listedStill(ctx context.Context, from record.Side, a plan.Action) (bool, error) {
	was, ok, err := r.store.Entry(ctx, r.Place(from), a.Source)
	if err != nil || !ok {
		return true, err
	}
	now := was
	switch shown := r.observe.Showed[from] || was.Seen != nil && r.OfThisRun(was.Seen.At); {
	case !shown && r.Options.Skip[from]:
		r.Note(from, was.Ref, record.Waiting, "it can't be read by its id, and its list is not read in this run: whether it is still there is not known")
		return false, nil
	case !shown:
		if err := r.observe.PullWhole(ctx, from); err != nil {
			return false, fmt.Errorf("look whether %s is still there: %w", was.Ref, err)
		}
		if now, _, err = r.store.Entry(ctx, r.Place(from), was.Ref); err != nil {
			return false, err
		}
	}
	if !match.Departed(now) && now.Last().Equal(was.Last()) {
		return true, nil
	}
	r.observe.Strays = true // it is planned anew
	return false, nil
}

// stepStands reports whether the record that a change of status comes from still says so. Before a cancel, and
// before a change that takes a record back from its end, that record is read by its id: a list that lags may show a
// cancel that was taken back since, and what is cancelled is resold before anybody can undo it. Before any other
// step the record is read only if no list shows it any more: it may have been cancelled outside of what is read.
func (r *Room) stepStands(ctx context.Context, a plan.Action) (bool, error) {
	from := a.Side.Other()
	grave := a.Risk == plan.RiskCancel || r.revives(a)
	if !grave && a.Change.Op != record.Action || !r.Side(from).Can.Get {
		return true, nil
	}
	was, ok, err := r.store.Entry(ctx, r.Place(from), a.Source)
	if err != nil || !ok || was.Link != a.Link { // the change does not come from a record across
		return true, err
	}
	if known := was.Seen != nil && was.Seen.View == "get" && r.OfThisRun(was.Seen.At); known || !grave && !match.Departed(was) {
		return true, nil
	}
	if read, err := r.observe.ReadFirst(ctx, from, was.Ref); err != nil || !read {
		return false, err
	}
	return r.isAsBefore(ctx, from, was)
}

// isAsBefore reports whether a record that was just read is as it was known. If it is not, it is planned anew.
func (r *Room) isAsBefore(ctx context.Context, side record.Side, was record.Entry) (bool, error) {
	now, _, err := r.store.Entry(ctx, r.Place(side), was.Ref)
	if err != nil || now.State == was.State && now.Last().Equal(was.Last()) {
		return err == nil, err
	}
	r.Count("stale", 1)
	r.observe.Strays = true
	return false, nil
}

// revives reports whether a change takes a record back from its end. Example: a cancelled booking is confirmed.
func (r *Room) revives(a plan.Action) bool {
	return slices.ContainsFunc(a.Fields, func(f record.FieldReason) bool {
		ended := func(v record.Value) bool { return plan.Ends(r.Job.Rules, f.Field, v.Text()) }
		return ended(f.Before) && !ended(f.After)
	})
}
