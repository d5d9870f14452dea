package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"nightporter/sync/apply"
	"nightporter/sync/record"
)

// settle finds out what became of changes that were sent and never answered. What
// can be asked is asked here; what only a list can tell waits for settleListed.
func (r *run) settle(ctx context.Context) error {
	if err := r.settleLost(ctx); err != nil {
		return err
	}
	intents, err := r.Store.Unsettled(ctx, r.job.Binding)
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
func (r *run) hold(in record.Intent) {
	if in.From != 0 {
		r.open[in.From] = true
	}
	r.count("unsettled", 1)
	r.stillUnanswered(in)
}

// settleOne tries to conclude one intent by asking. It reports whether it stays
// open.
func (r *run) settleOne(ctx context.Context, in record.Intent) (bool, error) {
	if in.State == record.Prepared {
		return false, r.drop(ctx, in, "nothing was sent")
	}
	if in.Change.Op == record.Create {
		return r.settleCreate(ctx, in, false)
	}
	return r.settleUpdate(ctx, in)
}

// lookAgain asks what became of an intent, unless its side is to be left alone. It
// reports whether the intent stays open. failed counts records that can't be read:
// one stops nothing.
func (r *run) lookAgain(ctx context.Context, in record.Intent, failed *int) (bool, error) {
	held, err := r.held(ctx, in.Place.Side)
	if err != nil || held || r.opt.Dry {
		return true, err
	}
	open, err := r.settleOne(ctx, in)
	if stop := r.passOver(in.Place.Side, err, failed); stop != nil {
		return true, stop
	}
	if err != nil {
		r.note(in.Place.Side, in.Change.Ref, record.Waiting, "what became of a change of it can't be looked up now: "+err.Error())
		open = true
		if t := r.trials.under(in); t != nil {
			return true, r.findUnseenTrial(ctx, t, causeOfError(err))
		}
	}
	return open, nil
}

// drop ends an intent that is known not to be applied. Its record is planned anew.
func (r *run) drop(ctx context.Context, in record.Intent, why string) error {
	return r.Store.FailIntent(ctx, r.lease, in.ID, record.Cancelled, "", why, time.Now())
}

// unmade concludes a create of which nothing is there: it was never made, and may be made anew. One
// that its system said is done was made, and somebody took it away or put it aside since: a person
// is asked. One that is outside of the filter is waited for. It reports whether the change stays open.
func (r *run) unmade(ctx context.Context, in record.Intent, why string) (open bool, err error) {
	if beyond, err := r.beyondFilter(ctx, in); err != nil || beyond {
		return true, err
	}
	if saidDone(in) {
		return true, r.lose(ctx, in, "its system answered that it is done, and "+why)
	}
	return false, r.drop(ctx, in, why)
}

// saidDone reports whether the system of a create said that it is done, and not what it made.
func saidDone(in record.Intent) bool { return in.Class == string(apply.SaidDone) }

// young reports whether the system might still apply, or not yet show, the change.
func (r *run) young(in record.Intent) bool {
	return time.Since(in.SentAt) < r.side(in.Place.Side).Settle
}

// adoptFound takes a record that was found for the one that was sent. It reports
// whether the change stays open.
func (r *run) adoptFound(ctx context.Context, in record.Intent, rec record.Record) (bool, error) {
	out, err := r.door().Settle(ctx, in, rec, true)
	if err != nil || out.Result == apply.Taken {
		return true, cmp.Or(err, r.loseTaken(ctx, in, rec.Ref))
	}
	r.count(in.Place.Side.String()+".adopted", 1)
	if in.Change.Op != record.Create {
		return false, nil
	}
	return false, r.readAdopted(ctx, in.Place.Side, out.Receipt.Ref)
}

// readAdopted has a new record read by id of which what it was found by may hide something.
func (r *run) readAdopted(ctx context.Context, side record.Side, ref record.Ref) error {
	e, ok, err := r.Store.Entry(ctx, r.place(side), ref)
	if err != nil || !ok || e.State != record.InStep {
		return err
	}
	if !slices.ContainsFunc(r.job.Mapping.Paths(side), func(p string) bool { return !e.Shown(p) && r.side(side).Can.MayHide(p) }) {
		return nil
	}
	now := time.Now()
	return r.Store.Judge(ctx, r.lease, e.Num, e.State, e.Why, now, now)
}

// loseTaken hands a create to a person that the journal keeps from ending at a record:
// what is linked already can't have been made for it.
func (r *run) loseTaken(ctx context.Context, in record.Intent, ref record.Ref) error {
	why, err := r.cantLink(ctx, in, ref)
	if err != nil {
		return err
	}
	return r.lose(ctx, in, fmt.Sprintf("%s could be it, but %s", ref, cmp.Or(why, "it is linked already")))
}

// lose hands an intent to a person: what became of it can't be known.
func (r *run) lose(ctx context.Context, in record.Intent, why string) error {
	r.count("lost", 1)
	if err := r.Store.FailIntent(ctx, r.lease, in.ID, record.Lost, "", why, time.Now()); err != nil {
		return err
	}
	return r.alert(ctx, in.From, "unknown_outcome", fmt.Sprintf(
		"a new %s for %s was sent to %s and nobody knows whether it arrived: %s",
		in.Change.Ref.Kind, keyOf(in.Link, in.From), r.side(in.Place.Side).System, why))
}
