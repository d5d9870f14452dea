package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"nightporter/connectors"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// Engine runs jobs on one store.
type Engine struct{ run.House }

// Run runs a job once. The report is filled even when the error is not nil.
func (e *Engine) Run(ctx context.Context, b record.Binding, o run.Options) (run.Report, error) {
	job, ok := e.Jobs[b]
	if !ok {
		return run.Report{}, fmt.Errorf("run %s: there is no job of that name", b)
	}
	lease, err := e.Stores.Begin(ctx, b, o.Dry, time.Now())
	if err != nil {
		return run.Report{}, fmt.Errorf("begin run of %s: %w", b, err)
	}
	if o.Begun != nil {
		o.Begun(lease.Run)
	}
	r := newRun(e, job, lease, o)
	runErr := r.all(ctx)
	r.Report.Notes = slices.Concat(r.observe.Listed[record.Left], r.observe.Listed[record.Right], r.observe.Unreads, r.Report.Notes)
	if runErr != nil && !o.Dry && ctx.Err() == nil { // guests who wait for an answer wait all the longer
		runErr = errors.Join(runErr, r.watchAnswers(ctx))
	}
	if connectors.ClassOf(runErr) == connectors.Unauthorized { // another key may be of another account
		e.Proofs.Clear()
	}
	if err := errors.Join(r.guards.NoteDone(context.WithoutCancel(ctx)), r.links.NoteBack(context.WithoutCancel(ctx))); err != nil {
		runErr = errors.Join(runErr, fmt.Errorf("note what came of the decided sets of %s: %w", b, err))
	}
	if err := r.keepFindings(context.WithoutCancel(ctx)); err != nil {
		runErr = errors.Join(runErr, fmt.Errorf("note what was found of %s: %w", b, err))
	}
	if err := r.trust.KeepHalts(context.WithoutCancel(ctx), runErr != nil, errors.Is(runErr, run.ErrHalted)); err != nil {
		runErr = errors.Join(runErr, fmt.Errorf("note what %s stands before: %w", b, err))
	}
	r.Report.Error = runErr
	r.Report.Outcome = r.outcome(runErr)
	text := ""
	if runErr != nil {
		text = runErr.Error()
	}
	end := context.WithoutCancel(ctx)
	if err := e.Stores.End(end, lease, r.Report.Outcome, text, r.Report.Counts, time.Now()); err != nil {
		return r.Report, errors.Join(runErr, fmt.Errorf("end run of %s: %w", b, err))
	}
	return r.Report, runErr
}

// all is a run from its first step to its last, in a straight line.
func (r *Room) all(ctx context.Context) error {
	if err := r.begin(ctx); err != nil || len(r.Report.Halts) > 0 {
		return err
	}
	if err := r.settleOpen(ctx); err != nil {
		return err
	}
	if r.Options.Undo != nil {
		return r.takeback.Undo(ctx)
	}
	if err := r.links.MeetAnew(ctx); err != nil {
		return err
	}
	switch {
	case len(r.Options.Only)+len(r.Options.Find) > 0:
		return r.targeted(ctx)
	case r.Options.Seen:
		if err := r.recheck(ctx); err != nil {
			return err
		}
		return r.planAndDo(ctx)
	}
	return r.readAndDo(ctx)
}

// begin loads what earlier runs have found, and makes sure that the job may run. It stops with a halt if a side is
// another account, or if the job still stands before an earlier halt.
func (r *Room) begin(ctx context.Context) error {
	if err := r.store.Configured(ctx, r.Lease, r.Job.Settings(), r.Now); err != nil {
		return fmt.Errorf("note the settings of %s: %w", r.Job.Binding, err)
	}
	for _, step := range []func(context.Context) error{
		r.findings.RecallFindings, r.match.NotePutBack, r.links.NoteBack, r.observe.LearnSettle,
		r.trust.RecallHalts, r.trust.NotRenamed, r.trust.SameAccount, r.trust.SameIDs,
	} {
		if err := step(ctx); err != nil || len(r.Report.Halts) > 0 {
			return err
		}
	}
	return nil
}

// settleOpen finds out what became of the changes that the last run left open. That comes first: before it is
// known, nothing is decided about their records.
func (r *Room) settleOpen(ctx context.Context) error {
	if err := r.trials.RecallTrials(ctx); err != nil {
		return fmt.Errorf("recall first writes: %w", err)
	}
	if err := r.settle.Settle(ctx); err != nil {
		return fmt.Errorf("settle what the last run left open: %w", err)
	}
	if err := r.trials.EndTrials(ctx); err != nil {
		return fmt.Errorf("look what a first write did: %w", err)
	}
	return nil
}

// readAndDo reads both sides, compares them, and carries out what follows from that.
func (r *Room) readAndDo(ctx context.Context) error {
	if err := r.pull(ctx); err != nil {
		return err
	}
	if err := r.trials.EndListed(ctx); err != nil {
		return fmt.Errorf("look what a first write did: %w", err)
	}
	if err := r.settle.SettleListed(ctx); err != nil {
		return r.askAtLeast(ctx, fmt.Errorf("settle what the last run left open: %w", err))
	}
	if r.Options.Verify {
		return r.takeback.Verify(ctx)
	}
	return r.planAndDo(ctx)
}

// planAndDo decides on what is known and carries it out.
func (r *Room) planAndDo(ctx context.Context) error {
	d, err := r.decide.Plan(ctx)
	if err != nil {
		return err
	}
	if d, err = r.scanAgain(ctx, d); err != nil {
		return err
	}
	if err := r.carryOut(ctx, d); err != nil {
		return err
	}
	return r.finish(ctx)
}

func (r *Room) outcome(err error) record.Outcome {
	c := r.Report.Counts
	switch {
	case errors.Is(err, run.ErrHalted):
		return record.Halted
	case err != nil:
		return record.Failed
	case c["held"]+c["conflicts"]+c["lost"]+c["staged"] > 0, r.Found.Stand:
		return record.Waits
	}
	return record.Done
}
