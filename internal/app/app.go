// Package app puts the program together: it opens the state file and the systems
// that a configuration names, turns its jobs into what the engine runs, and runs
// them in their order.
package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"nightporter/connectors"
	"nightporter/connectors/pace"
	"nightporter/internal/config"
	"nightporter/internal/outbox"
	"nightporter/state"
	"nightporter/sync/engine"
	"nightporter/sync/record"
)

// Options is what the surroundings decide.
type Options struct {
	Log *slog.Logger
	// Jobs runs them: the state file is locked, so that no other process does.
	Jobs bool
	// Wanted says which jobs are to be run: each of them that needs a system that can't be
	// opened has a failed run. Nil keeps none.
	Wanted func(record.Binding) bool
	// Who is the user that began this process, as others are told.
	Who string
	// Command is what others are told of this process while it holds the lock.
	Command string
	// TakeOver takes the state file from a process that holds it and has given no
	// sign of life for so long; 0 takes it from nobody.
	TakeOver time.Duration
	// Store is an open state file to be used instead of opening one. Close leaves it
	// open. It is how a configuration is replaced while jobs run.
	Store *state.Store
	// State replaces the configuration's state file.
	State string
	// Transport replaces the network for a system, in tests.
	Transport func(system string) http.RoundTripper
	// Paces are the limiters of the process; nil: the App's own. Who opens another
	// App on the same systems, after a reload, gives it the same ones. They go by its
	// configuration from KeepPaces on.
	Paces *pace.Group
	// Events replaces the network for events, in tests.
	Events http.RoundTripper
	// Look is how often events that wait are looked at; 0 is as usual. They are sent at once
	// all the same.
	Look time.Duration
	// Step is told at each durable step and each request, in tests.
	Step func(name string)
}

// App is a configuration, opened.
type App struct {
	Config *config.Config
	Store  *state.Store
	Engine *engine.Engine
	Order  []record.Binding // jobs in the order in which they run
	Outbox *outbox.Outbox   // of the state file, where jobs run; nil elsewhere

	conns map[string]connectors.Connector
	descs map[string]connectors.Description
	paces map[string]*pace.Limiter // of the systems that have one
	uses  []pace.Use               // what those are to go by
	held  *pace.Group              // the caller's
	group pace.Group               // of those, where the caller holds none
	log   *slog.Logger

	doubted []record.QuotaDoubt // noted last; nil: none was looked at yet
	lent    bool                // the store is somebody else's to close
}

// Open opens the state file and all systems. What it opened is closed when it
// fails.
func Open(ctx context.Context, cfg *config.Config, o Options) (_ *App, err error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	a := &App{
		Config: cfg, log: o.Log, held: o.Paces,
		conns: map[string]connectors.Connector{}, descs: map[string]connectors.Description{},
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.Close())
		}
	}()
	if err := a.openState(ctx, o); err != nil {
		return a, err
	}
	if err := a.openSystems(ctx, o); err != nil {
		return a, err
	}
	if err := a.build(ctx, o); err != nil || !o.Jobs {
		return a, err
	}
	if err := a.openEvents(ctx, o); err != nil {
		return a, err
	}
	return a, a.NoteConfig(ctx, strings.TrimPrefix(o.Who+": "+o.Command, ": "))
}

func (a *App) openState(ctx context.Context, o Options) error {
	if o.Store != nil {
		a.Store, a.lent = o.Store, true
		return nil
	}
	path := a.Config.State
	if o.State != "" {
		path = o.State
	}
	var err error
	if a.Store, err = state.Open(ctx, path, state.Options{Step: o.Step}); err != nil {
		return fmt.Errorf("open state file %s: %w", path, err)
	}
	switch {
	case o.Jobs && o.TakeOver > 0:
		err = a.Store.TakeOver(ctx, o.Command, o.TakeOver, time.Now())
	case o.Jobs:
		err = a.Store.Lock(ctx, o.Command, time.Now())
	}
	if err != nil {
		return fmt.Errorf("lock state file %s: %w", path, err)
	}
	return nil
}

// Lend is the open state file, which Close then leaves open: the caller closes it.
func (a *App) Lend() *state.Store {
	a.lent = true
	return a.Store
}

// build turns the jobs into what the engine runs.
func (a *App) build(ctx context.Context, o Options) error {
	install, err := a.Store.Install(ctx)
	if err != nil {
		return err
	}
	stores, err := engine.StoresOf(a.Store)
	if err != nil {
		return err
	}
	a.Engine = &engine.Engine{House: engine.House{
		Stores: stores, Jobs: map[record.Binding]*engine.Job{}, Install: install,
		NewID: func() string { return ulid.MustNew(ulid.Now(), rand.Reader).String() },
		Log:   a.log, Step: o.Step,
	}}
	for i := range a.Config.Jobs {
		job, err := a.compile(&a.Config.Jobs[i])
		if err != nil {
			return fmt.Errorf("job %s: %w", a.Config.Jobs[i].Name, err)
		}
		a.Engine.Jobs[job.Binding] = job
		a.Order = append(a.Order, job.Binding)
	}
	if err := a.prepare(ctx); err != nil {
		return err
	}
	for _, j := range a.Config.Jobs {
		if j.KeepValues == config.KeepDigest {
			b := record.Binding(j.Name)
			a.Engine.Jobs[b].Seal = a.Store.SealKey(b)
		}
	}
	return nil
}

// prepare makes the bindings known to the state file, and has values kept as digests where
// the configuration says so. The key is in a file of its own: a copy of the state file
// alone then tells nothing of them.
func (a *App) prepare(ctx context.Context) error {
	var sealed []record.Binding
	for _, j := range a.Config.Jobs {
		b := record.Binding(j.Name)
		systems := [2]record.System{record.System(j.Left.System), record.System(j.Right.System)}
		kinds := [2]record.Kind{record.Kind(j.Left.Kind), record.Kind(j.Right.Kind)}
		if err := a.Store.Register(ctx, b, systems, kinds, nil); err != nil {
			return fmt.Errorf("job %s: %w", b, err)
		}
		if j.KeepValues == config.KeepDigest {
			sealed = append(sealed, b)
		}
	}
	if err := a.Store.KeepDigests(ctx, a.Config.State+".key", sealed); err != nil {
		return fmt.Errorf("keep digests: %w", err)
	}
	return nil
}

// Close releases everything. It may be called after a failed Open.
func (a *App) Close() error {
	var errs []error
	for _, c := range a.conns {
		errs = append(errs, c.Close())
	}
	if a.Store != nil && !a.lent {
		errs = append(errs, a.Store.Close())
	}
	return errors.Join(errs...)
}

// Description is what an opened system can do.
func (a *App) Description(system string) connectors.Description { return a.descs[system] }
