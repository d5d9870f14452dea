package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"nightporter/sync/plan/trial"
	"nightporter/sync/record"
)

// A trial of a record that can't be read any more is put aside, and another record takes its place: one
// record that its system can't show holds back no others for good. What it did is found, and put back,
// once its record can be read.

// all is all trials that are known, always in one order: a history that goes wrong can be played again.
// Those put aside come last.
func (ts *trials) all() []*record.Trial {
	var out []*record.Trial
	for _, k := range slices.SortedFunc(maps.Keys(ts.last), trialKey.compare) {
		out = append(out, ts.last[k])
	}
	return append(out, ts.aside...)
}

// under is the trial, not over, of which a change is the write; nil if it is none.
func (ts *trials) under(in record.Intent) *record.Trial {
	for _, t := range ts.all() {
		if keyOfTrial(t) == (trialKey{in.Place.Side, in.Change.Op}) && t.Ref == in.Change.Ref && !t.Over() {
			return t
		}
	}
	return nil
}

// takeUp makes a trial the last of its operation, as what it showed is to be put back.
func (ts *trials) takeUp(t *record.Trial) {
	ts.aside = slices.DeleteFunc(ts.aside, func(o *record.Trial) bool { return o == t })
	ts.last[keyOfTrial(t)] = t
}

// waitsAside reports whether a trial that was put aside is not looked at now: one at a time has
// something to put back.
func (r *run) waitsAside(t *record.Trial) bool {
	last := r.trials.last[keyOfTrial(t)]
	return t.State == record.TrialAside && last != nil && (!last.Over() || last.State == record.TrialBack)
}

// forgetAside ends a trial that was put aside, and that showed nothing to be put back.
func (r *run) forgetAside(ctx context.Context, t *record.Trial) error {
	r.trials.aside = slices.DeleteFunc(r.trials.aside, func(o *record.Trial) bool { return o == t })
	delete(r.trials.whom, t.Ref)
	return r.Store.DropTrial(ctx, r.lease, *t)
}

// unseenTrial notes that nobody can see what a trial did to its record, and puts it aside once that is
// so for a while. Without a cause what became of its write could not be looked up.
func (r *run) unseenTrial(ctx context.Context, t *record.Trial, cause error) error {
	ctx = context.WithoutCancel(ctx)
	if cause != nil {
		if err := r.findUnseenTrial(ctx, t, causeOfError(cause)); err != nil {
			return err
		}
	}
	if t.Over() || t.State == record.TrialHarmed || time.Since(t.At) <= r.side(t.Place.Side).Settle {
		return nil
	}
	t.Looks++
	k := keyOfTrial(t)
	beside := 0
	for _, o := range r.trials.aside {
		if keyOfTrial(o) == k {
			beside++
		}
	}
	if t.State.Pending() && trial.PutsAside(t.Looks, beside) {
		t.State = record.TrialAside
		delete(r.trials.last, k)
		r.trials.aside = append(r.trials.aside, t)
	}
	return r.Store.KeepTrial(ctx, r.lease, *t)
}

// findUnseenTrial notes why nobody can see what a trial did.
func (r *run) findUnseenTrial(ctx context.Context, t *record.Trial, cause string) error {
	pair, ok, err := r.Store.PairOf(ctx, t.Place, t.Ref)
	if err != nil || !ok {
		return err
	}
	r.noteFinding(record.Finding{
		Place: t.Place, Name: record.FindUnseen, Op: t.Op, Link: pair.Link, Ref: t.Ref, // no change was refused: see stillDenied
		Text: fmt.Sprintf("the first %s of %s was sent to it as a trial, and it can't be read by its id to see what that did (%s): others wait for that in its first runs",
			t.Op, r.side(t.Place.Side).Kind, cause),
	})
	return nil
}
