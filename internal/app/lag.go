package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"nightporter/connectors/jsonx"
	"nightporter/internal/config"
	"nightporter/internal/trial"
	"nightporter/state"
	"nightporter/sync/record"
)

// LagTest is a write that is made to see how late a system shows it.
type LagTest struct {
	Kind     string
	Set      []Setting // what is written, by the system's own paths
	Record   string    // the id of the record that is changed; "": one is made
	Keep     bool      // leave what was written
	Patience time.Duration
	Say      func(string)
}

// Setting is a value at a path of a system's record, as JSON has it.
type Setting struct {
	Path  string
	Value any
}

// Lag is what such a test found.
type Lag struct {
	trial.Report
	System     string
	Requests   int
	Configured time.Duration // what settle is for the system
	Settle     time.Duration // what it had better be; only if everything was shown
}

// MeasureLag writes one record to a system, sees how late that is shown, and takes it back.
// While it does so no other process may run jobs on the state file, if there is one: it
// would carry what was written to the other side.
func MeasureLag(ctx context.Context, cfg *config.Config, system string, test LagTest, o Options) (_ Lag, err error) {
	sys, err := asked(cfg, system)
	if err != nil {
		return Lag{}, err
	}
	fields, err := settings(test.Set)
	if err != nil {
		return Lag{}, err
	}
	ctx, release, err := hold(ctx, cfg, o)
	if err != nil {
		return Lag{}, err
	}
	defer func() { err = errors.Join(err, release()) }()
	a := &App{Config: &config.Config{TimeZone: cfg.TimeZone, Systems: cfg.Systems}, log: o.Log}
	conn, err := a.openSystem(ctx, sys, o)
	if err != nil {
		return Lag{}, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	out := Lag{System: system, Configured: sys.Settle}
	out.Report, err = trial.Run(ctx, trial.Config{
		Conn: conn, Kind: record.Kind(test.Kind), Fields: fields, Record: test.Record,
		Keep: test.Keep, Patience: test.Patience, Say: test.Say,
	})
	for _, n := range a.Paces()[system].Sent {
		out.Requests += n
	}
	if most, known := out.Lag(); known {
		out.Settle = record.Lag{Measured: 1, Most: most}.Settle(sys.Settle)
	}
	return out, err
}

// settings is values at paths as the fields of a record. None is below another: what is
// written there twice could not be told.
func settings(set []Setting) (record.Fields, error) {
	fields := record.Fields{}
	for _, s := range set {
		path, err := jsonx.ParsePath(s.Path)
		if err != nil || len(path) == 0 {
			return nil, &trial.UsageError{Text: fmt.Sprintf("--set %q names no field", s.Path)}
		}
		v, err := record.FromJSON(s.Value)
		if err != nil {
			return nil, &trial.UsageError{Text: fmt.Sprintf("--set %s can't be a value: %v", path, err)}
		}
		for other := range fields {
			if encloses(other, path.String()) || encloses(path.String(), other) {
				return nil, &trial.UsageError{Text: fmt.Sprintf("--set names %s twice, or something within it", other)}
			}
		}
		fields[path.String()] = v
	}
	return fields, nil
}

// encloses reports whether a path is another one, or something around it.
func encloses(outer, path string) bool { return path == outer || strings.HasPrefix(path, outer+".") }

// signEvery is how often a command that holds the state file gives a sign of life.
const signEvery = 10 * time.Second

// hold reserves the state file, if there is one, until release. The context ends where
// another process takes it over.
func hold(ctx context.Context, cfg *config.Config, o Options) (_ context.Context, release func() error, err error) {
	path := cfg.State
	if o.State != "" {
		path = o.State
	}
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return ctx, func() error { return nil }, nil
	}
	s, err := state.Open(ctx, path, state.Options{})
	if err != nil {
		return ctx, nil, fmt.Errorf("open state file %s: %w", path, err)
	}
	if err := s.Lock(ctx, o.Command, time.Now()); err != nil {
		err = fmt.Errorf("lock state file %s, so that no job carries what is written for a test to the other side: %w", path, err)
		return ctx, nil, errors.Join(err, s.Close())
	}
	held, stop := context.WithCancelCause(ctx)
	over := make(chan struct{})
	go func() {
		defer close(over)
		sign(held, s, stop)
	}()
	return held, func() error {
		stop(nil)
		<-over
		return s.Close()
	}, nil
}

// sign gives signs of life until ctx is done.
func sign(ctx context.Context, s *state.Store, stop context.CancelCauseFunc) {
	every := time.NewTicker(signEvery)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
		if err := s.Beat(ctx, time.Now()); err != nil && ctx.Err() == nil {
			stop(fmt.Errorf("the state file is not ours any more: %w", err))
			return
		}
	}
}
