package settle

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"nightporter/sync/apply"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// Settle finds out what became of changes that were sent and never answered. What can be asked is asked here; what
// only a list can tell waits for SettleListed.
func (r *Room) Settle(ctx context.Context) error {
	if err := r.settleLost(ctx); err != nil {
		return err
	}
	intents, err := r.store.Unsettled(ctx, r.Job.Binding)
	if err != nil {
		return err
	}
	failed := 0
	for _, in := range intents {
		open, err := r.lookAgain(ctx, in, &failed)
		if err != nil {
			return fmt.Errorf("%s %s: %w", in.Change.Op, in.ID, err)
		}
		if open {
			r.hold(in)
		}
	}
	return nil
}

// hold keeps everything else off the record of an open intent.
func (r *Room) hold(in record.Intent) {
	if in.From != 0 {
		r.match.Open[in.From] = true
	}
	r.Count("unsettled", 1)
	r.stillUnanswered(in)
}

// settleOne tries to conclude one intent by asking the system. It reports whether the intent stays open.
func (r *Room) settleOne(ctx context.Context, in record.Intent) (bool, error) {
	if in.Change.Op == record.Create {
		return r.SettleCreate(ctx, in, false)
	}
	return r.settleUpdate(ctx, in)
}

// lookAgain asks what became of an intent, unless its side is to be left alone. It reports whether the intent
// stays open. failed counts records that can't be read: one such record stops nothing.
func (r *Room) lookAgain(ctx context.Context, in record.Intent, failed *int) (bool, error) {
	held, err := r.trust.Held(ctx, in.Place.Side)
	if err != nil || held || r.Options.Dry {
		return true, err
	}
	open, err := r.settleOne(ctx, in)
	if stop := r.observe.PassOver(in.Place.Side, err, failed); stop != nil {
		return true, stop
	}
	if err != nil {
		r.Note(in.Place.Side, in.Change.Ref, record.Waiting, "what became of a change of it can't be looked up now: "+err.Error())
		open = true
		if t := r.Trials.Under(in); t != nil {
			return true, r.trials.FindUnseenTrial(ctx, t, run.CauseOfError(err))
		}
	}
	return open, nil
}

// Drop ends an intent that is known not to be applied. Its record is planned anew.
func (r *Room) Drop(ctx context.Context, in record.Intent, why string) error {
	return r.store.FailIntent(ctx, r.Lease, in.ID, record.Cancelled, "", why, time.Now())
}

// unmade concludes a create of which no record is there: it was never made, and may be made anew. If its system
// said that it is done, it was made, and somebody took the record away or put it aside since: a person is asked.
// If the record may be outside of the filter, it is waited for. It reports whether the create stays open.
func (r *Room) unmade(ctx context.Context, in record.Intent, why string) (open bool, err error) {
	if beyond, err := r.proof.BeyondFilter(ctx, in); err != nil || beyond {
		return true, err
	}
	if run.SaidDone(in) {
		return true, r.Lose(ctx, in, "its system answered that it is done, and "+why)
	}
	return false, r.Drop(ctx, in, why)
}

// adoptFound settles a change by a record that was found: it counts as what was sent. It reports whether the
// change stays open.
func (r *Room) adoptFound(ctx context.Context, in record.Intent, rec record.Record) (bool, error) {
	out, err := r.trials.Door().Settle(ctx, in, rec, true)
	if err != nil || out.Result == apply.Taken {
		return true, cmp.Or(err, r.LoseTaken(ctx, in, rec.Ref))
	}
	r.Count(in.Place.Side.String()+".adopted", 1)
	if in.Change.Op != record.Create {
		return false, nil
	}
	return false, r.readAdopted(ctx, in.Place.Side, out.Receipt.Ref)
}

// readAdopted has a new record read by id, if the list or look-up that it was found by may hide some of it.
func (r *Room) readAdopted(ctx context.Context, side record.Side, ref record.Ref) error {
	e, ok, err := r.store.Entry(ctx, r.Place(side), ref)
	if err != nil || !ok || e.State != record.InStep {
		return err
	}
	if !slices.ContainsFunc(r.Job.Mapping.Paths(side), func(p string) bool { return !e.Shown(p) && r.Side(side).Can.MayHide(p) }) {
		return nil
	}
	now := time.Now()
	return r.store.Judge(ctx, r.Lease, e.Num, e.State, e.Why, now, now)
}

// LoseTaken hands a create to a person, because the journal keeps it from ending at a record: that record is
// linked already, so it can't have been made for this create.
func (r *Room) LoseTaken(ctx context.Context, in record.Intent, ref record.Ref) error {
	why, err := r.cantLink(ctx, in, ref)
	if err != nil {
		return err
	}
	return r.Lose(ctx, in, fmt.Sprintf("%s could be it, but %s", ref, cmp.Or(why, "it is linked already")))
}
