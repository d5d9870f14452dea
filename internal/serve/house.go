package serve

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"nightporter/internal/app"
	"nightporter/internal/config"
	"nightporter/sync/record"
	"nightporter/sync/schedule"
)

// house is one configuration, opened: its systems and its jobs. A reload puts
// another in its place; the old one is closed when the last run that uses it is over.
type house struct {
	*app.App
	jobs  []schedule.Job
	users sync.WaitGroup
}

func openHouse(ctx context.Context, cfg *config.Config, o app.Options) (*house, error) {
	jobs, err := jobsOf(cfg)
	if err != nil {
		return nil, err
	}
	a, err := app.Open(ctx, cfg, o)
	if err != nil {
		return nil, err
	}
	return &house{App: a, jobs: jobs}, nil
}

// enter is the house as it is now, kept open until leave is called.
func (d *Daemon) enter() (h *house, leave func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.house.users.Add(1)
	return d.house, d.house.users.Done
}

// Reload reads the configuration again. Only if all of it is right, and every system
// can be opened, does it take the place of the one that is in force; otherwise
// everything goes on as before. The service manager is told of both.
func (d *Daemon) Reload(ctx context.Context) error {
	d.reloading.Lock() // a signal and a command may come together
	defer d.reloading.Unlock()
	d.opts.Notify("RELOADING=1")
	err := d.reload(ctx)
	if err != nil {
		d.opts.Notify("READY=1\nSTATUS=jobs run; the last reload was refused at " + time.Now().UTC().Format(time.RFC3339) + ", the log says why")
		return err
	}
	d.opts.Notify("READY=1\nSTATUS=jobs run; reloaded at " + time.Now().UTC().Format(time.RFC3339))
	return nil
}

func (d *Daemon) reload(ctx context.Context) error {
	cfg, err := d.opts.Load()
	if err != nil {
		return fmt.Errorf("reload: %w; the configuration in force stays", err)
	}
	if now := d.statePath(); d.opts.App.State == "" && cfg.State != now {
		return fmt.Errorf("reload: the state file can't be changed from %s to %s while jobs run: stop the service, move the file, and start it again", now, cfg.State)
	}
	o := d.opts.App
	o.Jobs, o.Store = false, d.store
	next, err := openHouse(ctx, cfg, o)
	if err != nil {
		return fmt.Errorf("reload: %w; the configuration in force stays", err)
	}
	if err := d.runner.Reload(ctx, next.jobs); err != nil {
		return errors.Join(fmt.Errorf("reload: %w; the configuration in force stays", err), next.Close())
	}
	d.mu.Lock()
	old := d.house
	d.house = next
	d.mu.Unlock()
	d.log.InfoContext(ctx, "configuration reloaded", "jobs", len(next.Order))
	if err := d.dropWishes(ctx, next); err != nil {
		d.log.ErrorContext(ctx, "who asked for a job that is gone can't be told", "error", err)
	}
	d.closing.Go(func() {
		old.users.Wait()
		if err := old.Close(); err != nil {
			d.log.ErrorContext(ctx, "systems of the old configuration can't be closed", "error", err)
		}
	})
	return nil
}

func (d *Daemon) statePath() string {
	h, leave := d.enter()
	defer leave()
	return h.Config.State
}

// hold says why a system is to be left alone at this hour.
func (h *house) hold(b record.Binding) func(record.Side) string {
	systems := [2]record.System{h.Engine.Jobs[b].Sides[0].System, h.Engine.Jobs[b].Sides[1].System}
	return func(side record.Side) string {
		sys, ok := h.Config.System(string(systems[side]))
		if !ok || sys.Quiet == nil {
			return ""
		}
		if end, in := sys.Quiet.Until(time.Now()); in {
			return "its quiet hours last until " + end.In(h.Config.TimeZone).Format("15:04")
		}
		return ""
	}
}
