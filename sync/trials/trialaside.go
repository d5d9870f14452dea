package trials

import (
	"context"
	"fmt"
	"slices"
	"time"

	"nightporter/sync/plan/trial"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// waitsAside reports whether a trial that was put aside is not looked at now: another trial of its operation is
// not over, and only one at a time may have something to put back.
func (r *Room) waitsAside(t *record.Trial) bool {
	last := r.Trials.Last[run.KeyOfTrial(t)]
	return t.State == record.TrialAside && last != nil && (!last.Over() || last.State == record.TrialBack)
}

// forgetAside ends a trial that was put aside, and that left nothing to put back.
func (r *Room) forgetAside(ctx context.Context, t *record.Trial) error {
	r.Trials.Aside = slices.DeleteFunc(r.Trials.Aside, func(o *record.Trial) bool { return o == t })
	delete(r.Trials.Whom, t.Ref)
	return r.store.DropTrial(ctx, r.Lease, *t)
}

// unseenTrial notes that nobody can see what a trial did to its record. After some runs of that the trial is put
// aside: see trial.PutsAside. cause is why the record can't be read; nil if it could not be looked up what became
// of the write.
func (r *Room) unseenTrial(ctx context.Context, t *record.Trial, cause error) error {
	ctx = context.WithoutCancel(ctx)
	if cause != nil {
		if err := r.FindUnseenTrial(ctx, t, run.CauseOfError(cause)); err != nil {
			return err
		}
	}
	if t.Over() || t.State == record.TrialHarmed || time.Since(t.At) <= r.Side(t.Place.Side).Settle {
		return nil
	}
	t.Looks++
	k := run.KeyOfTrial(t)
	beside := 0
	for _, o := range r.Trials.Aside {
		if run.KeyOfTrial(o) == k {
			beside++
		}
	}
	if t.State.Pending() && trial.PutsAside(t.Looks, beside) {
		t.State = record.TrialAside
		delete(r.Trials.Last, k)
		r.Trials.Aside = append(r.Trials.Aside, t)
	}
	return r.store.KeepTrial(ctx, r.Lease, *t)
}

// FindUnseenTrial notes why nobody can see what a trial did.
func (r *Room) FindUnseenTrial(ctx context.Context, t *record.Trial, cause string) error {
	pair, ok, err := r.store.PairOf(ctx, t.Place, t.Ref)
	if err != nil || !ok {
		return err
	}
	r.NoteFinding(record.Finding{
		Place: t.Place, Name: record.FindUnseen, Op: t.Op, Link: pair.Link, Ref: t.Ref, // no change was refused: see stillDenied
		Text: fmt.Sprintf("the first %s of %s was sent to it as a trial, and it can't be read by its id to see what that did (%s): others wait for that in its first runs",
			t.Op, r.Side(t.Place.Side).Kind, cause),
	})
	return nil
}
