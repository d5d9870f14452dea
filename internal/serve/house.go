package serve

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"nightporter/internal/app"
	"nightporter/internal/config"
	"nightporter/internal/outbox"
	"nightporter/internal/webhook"
	"nightporter/sync/record"
	"nightporter/sync/schedule"
)

// house is one configuration, opened: its systems and its jobs. A reload puts
// another in its place; the old one is closed when the last run that uses it is over.
type house struct {
	*app.App
	jobs    []schedule.Job
	sources []webhook.Source // who calls us
	subs    []app.Subscription
	events  outbox.Plan // whom we tell
	users   sync.WaitGroup
	nevers  neverLists
	opened  time.Time // when it was last looked whether hours of sending have begun; of the loop that tends alone
}

func (d *Daemon) openHouse(ctx context.Context, cfg *config.Config, o app.Options) (*house, error) {
	jobs, err := jobsOf(cfg)
	if err != nil {
		return nil, err
	}
	sources, err := app.Webhooks(cfg)
	if err != nil {
		return nil, err
	}
	a, err := app.Open(ctx, cfg, o)
	if err != nil {
		return nil, err
	}
	events, err := app.Events(cfg, a.Engine.Install)
	if err != nil {
		return nil, errors.Join(err, a.Close())
	}
	h := &house{App: a, jobs: jobs, sources: sources, events: events}
	if err := d.subs.of(ctx, h, o.Step); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return h, nil
}

// enter is the house as it is now, kept open until leave is called.
func (d *Daemon) enter() (h *house, leave func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.house.users.Add(1)
	return d.house, d.house.users.Done
}

// errEnding is why a reload is not made any more.
var errEnding = errors.New("reload: the service is stopping")

// Reload reads the configuration again. Only if all of it is right, every system can be
// opened and its address be listened at, does it take the place of the one that is in
// force; otherwise everything goes on as before. The service manager is told of both.
func (d *Daemon) Reload(ctx context.Context) error {
	d.reloading.Lock() // a signal and a command may come together
	defer d.reloading.Unlock()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	select {
	case <-d.ending:
		return errEnding
	default:
	}
	go func() { // the end of the service waits for none
		select {
		case <-d.ending:
			cancel(errEnding)
		case <-ctx.Done():
		}
	}()
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
	if err := d.needsRestart(cfg); err != nil {
		return err
	}
	if err := app.CheckSecrets(cfg); err != nil {
		return fmt.Errorf("reload: %w; the configuration in force stays", err)
	}
	o := d.opts.App
	o.Jobs, o.Store = false, d.store
	next, err := d.openHouse(ctx, cfg, o)
	if err != nil {
		return fmt.Errorf("reload: %w; the configuration in force stays", err)
	}
	web, moved, err := d.listenAnew(ctx, cfg.Listen)
	if err != nil {
		return errors.Join(fmt.Errorf("reload: %w; the configuration in force stays", err), next.Close())
	}
	doors, err := d.hooks.doors(ctx, next.sources)
	var old *house
	if err == nil {
		old, err = d.replace(ctx, next)
	}
	if err != nil {
		doors.close()
		if moved {
			web.stop()
		}
		return errors.Join(fmt.Errorf("reload: %w; the configuration in force stays", err), next.Close())
	}
	for _, w := range d.hooks.receive(ctx, next.sources, doors) {
		d.closing.Go(w.stop)
	}
	if err := d.store.CountPolled(ctx, app.Polled(next.sources), time.Now()); err != nil {
		d.log.ErrorContext(ctx, "what lists find before webhooks can't be counted", "error", err)
	}
	d.subs.look()
	if err := d.outbox.Use(ctx, next.events); err != nil {
		d.log.ErrorContext(ctx, "whom to tell what happens can't be kept: it is as before", "error", err)
	}
	d.log.InfoContext(ctx, "configuration reloaded", "jobs", len(next.Order))
	if err := next.NoteConfig(ctx, strings.TrimPrefix(o.Who+": reload of "+o.Command, ": ")); err != nil {
		d.log.ErrorContext(ctx, "the configuration can't be kept for config history", "error", err)
	}
	next.KeepPaces()
	d.runner.Grace(cfg.Grace)
	d.dropWishes(ctx, next)
	tried := triedBy(next.jobs)
	d.troubles.keep(ctx, tried, time.Now())
	d.breakers.keep(tried)
	d.noteBreakers(ctx)
	if moved {
		before := d.web.Swap(web)
		d.closing.Go(before.stop)
	}
	d.closing.Go(func() {
		old.users.Wait()
		if err := old.Close(); err != nil {
			d.log.ErrorContext(ctx, "systems of the old configuration can't be closed", "error", err)
		}
	})
	return nil
}

// needsRestart names what a reload can't take up.
func (d *Daemon) needsRestart(cfg *config.Config) error {
	h, leave := d.enter()
	defer leave()
	if now := h.Config.State; d.opts.App.State == "" && cfg.State != now {
		return fmt.Errorf("reload: the state file can't be changed from %s to %s while jobs run: stop the service, move the file, and start it again", now, cfg.State)
	}
	for _, j := range cfg.Jobs {
		if was, ok := h.Config.Job(j.Name); ok && j.KeepValues == config.KeepDigest && was.KeepValues != j.KeepValues {
			return fmt.Errorf("reload: keep_values of job %s can't be changed while jobs run: start the service again; until then the configuration in force stays", j.Name)
		}
	}
	return nil
}

// replace puts a house in the place of the one that is in force: at once for the
// schedule and for who makes a run, so that no job is run by a house that lacks it.
func (d *Daemon) replace(ctx context.Context, next *house) (old *house, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.runner.Reload(ctx, next.jobs); err != nil {
		return nil, err
	}
	old, d.house = d.house, next
	return old, nil
}

// hold says why a system of a job is to be left alone at this hour, by the configuration
// that is in force then; h is the one that the run was begun with.
func (d *Daemon) hold(h *house, b record.Binding) func(record.Side) string {
	job := h.Engine.Jobs[b]
	return func(side record.Side) string {
		now, leave := d.enter()
		defer leave()
		name := string(job.Sides[side].System)
		sys, ok := now.Config.System(name)
		if !ok { // it is gone, and the run goes on
			sys, _ = h.Config.System(name)
		}
		if end, in := sys.Quiet.Until(time.Now()); in {
			return "its quiet hours last until " + end.In(now.Config.TimeZone).Format("15:04")
		}
		return ""
	}
}
