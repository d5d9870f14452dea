package engine

import (
	"context"
	"fmt"

	"nightporter/sync/plan"
	"nightporter/sync/plan/guard"
	"nightporter/sync/record"
	"nightporter/sync/run"
)

// guard puts into the report what stops the plan before its first write, and returns run.ErrHalted if anything
// does. What was read and observed stays. A dry run shows the halts and goes on.
func (r *Room) guard(ctx context.Context, d *run.Draft, actions []plan.Action) error {
	if !r.Options.Yes {
		r.Report.Halts = append(r.Report.Halts, guard.Check(r.Job.Guards, d.Facts)...)
		first, err := r.isFirst(ctx, d)
		if err != nil {
			return err
		}
		if first && (len(actions) > 0 || len(d.Joins) > 0) {
			r.Report.Halts = append(r.Report.Halts, record.Question{Cause: record.HaltFirstRun, Next: r.trust.LookAgainCommand() + " --yes", Why: fmt.Sprintf(
				"this is the first run of %s: look at its plan, then run sync --yes", r.Job.Binding)})
		}
	}
	if len(r.Report.Halts) > 0 && !r.Options.Dry {
		return run.ErrHalted
	}
	return nil
}

// isFirst reports whether nothing was ever linked, and nobody has agreed to a plan yet.
func (r *Room) isFirst(ctx context.Context, d *run.Draft) (bool, error) {
	if !r.Job.AskFirst || d.Facts.Links > 0 || r.Options.Limit > 0 || r.Options.Plan != nil {
		return false, nil
	}
	runs, err := r.store.Runs(ctx, r.Job.Binding, 200)
	if err != nil {
		return false, err
	}
	for _, run := range runs {
		if !run.Dry && (run.Outcome == record.Done || run.Outcome == record.Waits) {
			return false, nil
		}
	}
	return true, nil
}
