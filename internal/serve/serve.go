package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"nightporter/connectors/pace"
	"nightporter/internal/app"
	"nightporter/internal/config"
	"nightporter/internal/outbox"
	"nightporter/state"
	"nightporter/sync/record"
	"nightporter/sync/schedule"
)

// Options is what the surroundings decide.
type Options struct {
	// Load reads the configuration, at the start and at each reload.
	Load func() (*config.Config, error)
	// App is how systems and state are opened; Jobs is set for the first opening.
	App app.Options
	Log *slog.Logger
	// TakeOver takes the state file from a process that gave no sign of life for so
	// long; 0 waits for nobody and takes it from nobody.
	TakeOver time.Duration
	// Notify tells the service manager how things stand, as systemd's sd_notify
	// does; nil tells nobody.
	Notify func(state string)
	// Watchdog is how often Notify must be told that all is well; 0 is never.
	Watchdog time.Duration
	// Look is how often what other processes ask for is looked for; 0 is twice a second.
	// Nobody else asks for anything in a test of a whole month.
	Look time.Duration
	// Ready is called once jobs run.
	Ready func(*Daemon)
	// Listen takes an address at which others are waited for; nil takes it of the network.
	// A test on a clock of its own has none: who waits at a socket stops that clock.
	Listen func(ctx context.Context, address string) (net.Listener, error)
}

// Daemon runs the jobs of a configuration for good.
type Daemon struct {
	opts     Options
	log      *slog.Logger
	store    *state.Store
	runner   *schedule.Runner
	seen     *numbers
	chased   chase
	aside    aside
	seek     seek
	troubles *troubles
	breakers breakers

	reloading sync.Mutex // one at a time
	ending    chan struct{}
	web       atomic.Pointer[web]
	hooks     *hooks
	outbox    *outbox.Outbox
	subs      subscriptions

	mu       sync.Mutex
	house    *house
	wishes   map[record.Binding][]*wished
	uncalled map[record.Binding]bool // jobs that were wished for and not called for yet
	unended  []ended
	closing  sync.WaitGroup // old houses on their way out
	stopped  chan error     // what ends the daemon from within
}

// Run opens what the configuration names and runs its jobs until ctx ends. What is
// under way then may go on for the configuration's grace. An error says why it could
// not start, or why it had to stop by itself.
func Run(ctx context.Context, o Options) (err error) {
	if o.Notify == nil {
		o.Notify = func(string) {}
	}
	if o.Listen == nil {
		o.Listen = func(ctx context.Context, address string) (net.Listener, error) {
			return (&net.ListenConfig{}).Listen(ctx, "tcp", address)
		}
	}
	cfg, err := o.Load()
	if err != nil {
		return err
	}
	d := &Daemon{
		opts: o, log: o.Log, wishes: map[record.Binding][]*wished{}, uncalled: map[record.Binding]bool{},
		stopped: make(chan error, 1), ending: make(chan struct{}), troubles: newTroubles(o.Log), subs: newSubscriptions(),
	}
	d.web.Store(&web{stop: func() {}})
	if d.opts.App.Paces == nil {
		d.opts.App.Paces = &pace.Group{}
	}
	first := d.opts.App
	first.Jobs, first.TakeOver = true, o.TakeOver
	first.Wanted = func(record.Binding) bool { return true }
	if !strings.HasPrefix(first.Command, Command) { // by this others know that it answers them
		first.Command = strings.TrimSpace(Command + " " + strings.TrimPrefix(first.Command, "nightporter"))
	}
	if d.house, err = d.openHouse(ctx, cfg, first); err != nil {
		return err
	}
	d.store, d.seen, d.outbox = d.house.Lend(), newNumbers(), d.house.Outbox
	d.hooks = d.hook(ctx)
	d.house.KeepPaces()
	d.seeBackups(ctx, cfg)
	defer func() { err = d.close(context.WithoutCancel(ctx), err) }()
	d.runner, err = schedule.New(ctx, d.house.jobs, schedule.Options{
		Run: d.due, Ledger: ledger{d.store.Ledger()}, Log: d.log, Beside: beside, Grace: cfg.Grace,
		Poll: 2 * o.Look, Failed: d.failed,
	})
	if err != nil {
		return fmt.Errorf("read what is due: %w", err)
	}
	if err := d.compareAnew(ctx); err != nil {
		return err
	}
	d.noteBreakers(ctx)
	return d.serve(ctx, cfg)
}

// errStuck says that runs go on though they were told to end.
var errStuck = errors.New("runs did not end")

// close ends what is left, and gives the error with which the daemon ends. What is used
// by runs that don't end is left open: it ends with the process.
func (d *Daemon) close(ctx context.Context, ended error) (err error) {
	close(d.ending)
	d.reloading.Lock()
	defer d.reloading.Unlock()
	d.web.Load().stop()
	d.hooks.close()
	if errors.Is(ended, errStuck) {
		return ended
	}
	d.closing.Wait()
	// Whatever becomes of the last note.
	defer func() { err = errors.Join(ended, d.house.Close(), d.store.Close()) }()
	d.hooks.wrote = time.Time{} // what is not written now never is
	if noted := d.noteHooks(ctx, time.Now()); noted != nil {
		d.log.ErrorContext(ctx, "when systems called last can't be kept", "error", noted)
	}
	return nil
}

// compareAnew has both sides of a state that was put back compared whole at once:
// nothing is created before.
func (d *Daemon) compareAnew(ctx context.Context) error {
	for _, b := range d.house.Order {
		_, yes, err := d.store.AdoptOnly(ctx, b)
		if err != nil {
			return fmt.Errorf("look whether the state was put back: %w", err)
		}
		if !yes {
			continue
		}
		if _, err := d.runner.Request(ctx, string(b), schedule.Full); err != nil {
			return err
		}
	}
	return nil
}

// serve runs everything side by side until ctx ends or one of them can't go on.
func (d *Daemon) serve(ctx context.Context, cfg *config.Config) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	w, err := d.listen(ctx, cfg.Listen)
	if err != nil {
		return err
	}
	d.web.Store(w)
	doors, err := d.hooks.doors(ctx, d.house.sources)
	if err != nil {
		return err
	}
	if err := d.store.CountPolled(ctx, app.Polled(d.house.sources), time.Now()); err != nil {
		return err
	}
	d.hooks.receive(ctx, d.house.sources, doors)
	if err := d.leftOver(ctx); err != nil {
		return fmt.Errorf("take up hints that were not looked at: %w", err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		select {
		case err := <-d.stopped:
			cancel(err)
		case <-ctx.Done():
		}
	})
	over := make(chan struct{})
	all.Go(func() {
		d.tend(ctx)
		d.opts.Notify("STOPPING=1")
		d.beatUntil(ctx, over)
	})
	all.Go(func() { d.tellUntil(ctx, over) })
	all.Go(func() { d.keepSubscribed(ctx) })
	d.log.InfoContext(ctx, "jobs run", "jobs", len(d.house.Order), "config", cfg.Path, "state", cfg.State)
	d.opts.Notify("READY=1\nSTATUS=jobs run")
	if d.opts.Ready != nil {
		d.opts.Ready(d)
	}
	err = d.runner.Run(ctx)
	if err != nil {
		err = fmt.Errorf("%w: %w", errStuck, err)
	}
	cause := context.Cause(ctx)
	cancel(nil)
	close(over)
	all.Wait()
	d.log.InfoContext(ctx, "jobs stopped")
	if errors.Is(cause, context.Canceled) {
		cause = nil
	}
	return errors.Join(cause, err)
}

// fail ends the daemon: it must not go on.
func (d *Daemon) fail(err error) {
	select {
	case d.stopped <- err:
	default:
	}
}
