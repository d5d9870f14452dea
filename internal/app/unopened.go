package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"nightporter/internal/config"
	"nightporter/sync/record"
)

// unopenedAgain is how long the same cause is not kept once more: a service that can't begin
// is started again every few seconds.
const unopenedAgain = 10 * time.Minute

// keepUnopened keeps a failed run of each job that was to run and needs a system that can't
// be opened, and tells others. It gives the error with which the opening ends.
func (a *App) keepUnopened(ctx context.Context, unopened map[string]error, o Options) error {
	var errs []error
	for _, sys := range a.Config.Systems {
		if err := unopened[sys.Name]; err != nil {
			errs = append(errs, err)
		}
	}
	if o.Wanted == nil {
		return errors.Join(errs...)
	}
	if err := a.failed(ctx, unopened, o); err != nil {
		errs = append(errs, fmt.Errorf("keep that the jobs failed: %w", err))
	}
	return errors.Join(errs...)
}

// failed keeps the failed runs, and tells others.
func (a *App) failed(ctx context.Context, unopened map[string]error, o Options) error {
	if err := a.prepare(ctx); err != nil {
		return err
	}
	// Before the runs, since what happens while nobody is to be told is noted for nobody.
	if err := a.openEvents(ctx, o); err != nil {
		return err
	}
	for i := range a.Config.Jobs {
		j := &a.Config.Jobs[i]
		cause := errors.Join(unopened[j.Left.System], unopened[j.Right.System])
		if cause == nil || !o.Wanted(record.Binding(j.Name)) {
			continue
		}
		if err := a.keepFailed(ctx, j, cause, time.Now()); err != nil {
			return err
		}
	}
	a.Tell(ctx)
	return nil
}

// keepFailed keeps a run of a job that failed before it could begin.
func (a *App) keepFailed(ctx context.Context, j *config.Job, cause error, now time.Time) error {
	b := record.Binding(j.Name)
	runs, err := a.Store.Runs(ctx, b, 1)
	if err != nil {
		return err
	}
	if len(runs) > 0 && runs[0].Outcome == record.Failed && runs[0].Error == cause.Error() && now.Sub(runs[0].Started) < unopenedAgain {
		return nil
	}
	lease, err := a.Store.Begin(ctx, b, false, now)
	if err != nil {
		return err
	}
	return a.Store.End(ctx, lease, record.Failed, cause.Error(), nil, now)
}
