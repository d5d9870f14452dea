package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"nightporter/connectors/pace"
	"nightporter/internal/config"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// wakeRounds is how often jobs run again because another job made what they wait
// for: a booking names a caller, the caller becomes a guest, the booking is entered.
const wakeRounds = 3

// Sync runs the named jobs, or all, once and in their order; then, for records that
// wait for others, the jobs that can make these. It gives a report for each run. A
// job that is halted or fails does not stop the others: a booking must not wait
// because a guest can't be read. Others are told what happened before it returns, as
// far as they take it.
func (a *App) Sync(ctx context.Context, names []record.Binding, o engine.Options) ([]engine.Report, error) {
	if len(names) == 0 {
		names = a.Order
	}
	if !o.Dry {
		defer a.Tell(ctx)
	}
	var reports []engine.Report
	var errs []error
	for _, b := range names {
		rep, err := a.Engine.Run(a.Urgent(ctx, b), b, o)
		reports = append(reports, rep)
		if err != nil {
			errs = append(errs, fmt.Errorf("job %s: %w", b, err))
			if ctx.Err() != nil {
				break
			}
		}
	}
	if o.Dry || len(errs) > 0 || len(o.Only) > 0 || o.Limit > 0 || o.Plan != nil { // nothing beyond what was asked for
		return reports, errors.Join(errs...)
	}
	more, err := a.wake(ctx, names, o)
	return append(reports, more...), err
}

// Urgent is the context to run a job in: the requests of a job of bookings go before
// all others, and may use what is kept for them.
func (a *App) Urgent(ctx context.Context, b record.Binding) context.Context {
	if j, ok := a.Config.Job(string(b)); ok && (j.Kind == config.KindStay || j.Kind == config.KindAppointment) {
		return pace.With(ctx, pace.Booking)
	}
	return ctx
}

// wake runs jobs for records that others wait for, and then these.
func (a *App) wake(ctx context.Context, names []record.Binding, o engine.Options) ([]engine.Report, error) {
	var reports []engine.Report
	for range wakeRounds {
		waits, err := a.Store.Awaited(ctx)
		if err != nil {
			return reports, err
		}
		made := map[record.Binding]bool{}
		for place, refs := range groupWaits(waits) {
			rep, err := a.Engine.Run(pace.With(ctx, pace.Booking), place.Binding, engine.Options{
				Only: refs, OnlySide: place.Side, After: slices.Contains(names, place.Binding), Yes: o.Yes, Progress: o.Progress,
			})
			reports = append(reports, rep)
			if err != nil {
				return reports, fmt.Errorf("job %s: %w", place.Binding, err)
			}
			if rep.Counts["linked"]+rep.Counts["left.created"]+rep.Counts["right.created"] > 0 {
				made[place.Binding] = true
			}
		}
		if len(made) == 0 {
			return reports, nil
		}
		for _, b := range names {
			for _, ref := range a.Engine.Jobs[b].References {
				if !made[ref.Binding] {
					continue
				}
				rep, err := a.Engine.Run(a.Urgent(ctx, b), b, engine.Options{Seen: true, After: true, Yes: o.Yes, Progress: o.Progress})
				reports = append(reports, rep)
				if err != nil {
					return reports, fmt.Errorf("job %s: %w", b, err)
				}
				break
			}
		}
	}
	return reports, nil
}

// groupWaits is the records that are waited for, by place.
func groupWaits(waits []record.Wait) map[record.Place][]record.Ref {
	out := map[record.Place][]record.Ref{}
	seen := map[record.Wait]bool{}
	for _, w := range waits {
		w = record.Wait{Binding: w.Binding, Side: w.Side, Ref: w.Ref}
		if !seen[w] {
			seen[w] = true
			p := record.Place{Binding: w.Binding, Side: w.Side}
			out[p] = append(out[p], w.Ref)
		}
	}
	return out
}

// keepQuiet is how long it is remembered that a run found nothing to do: one that
// looks each minute leaves half a million of them a year.
const keepQuiet = 7 * 24 * time.Hour

// Tidy deletes from the journal what ended longer ago than the configuration keeps
// it, and after a week that nothing happened.
func (a *App) Tidy(ctx context.Context, now time.Time) error {
	total := 0
	for {
		n, more, err := a.Store.Prune(ctx, now.Add(-a.Config.Keep), now.Add(-min(a.Config.Keep, keepQuiet)))
		total += n
		if err != nil || !more {
			if total > 0 {
				a.log.InfoContext(ctx, "old history deleted", "rows", total)
			}
			return err
		}
	}
}
