package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"nightporter/connectors"
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
	release, err := hold(ctx, cfg, o)
	if err != nil {
		return Lag{}, err
	}
	defer func() { err = errors.Join(err, release()) }()
	conn, sent, err := openCounted(sys, cfg, o)
	if err != nil {
		return Lag{}, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	out := Lag{System: system, Configured: sys.Settle}
	out.Report, err = trial.Run(ctx, trial.Config{
		Conn: conn, Kind: record.Kind(test.Kind), Fields: fields, Record: test.Record,
		Keep: test.Keep, Patience: test.Patience, Say: test.Say,
	})
	out.Requests = int(sent.Load())
	if most, all := out.Lag(); all {
		out.Settle = record.Lag{Measured: 1, Most: most}.Settle(sys.Settle)
	}
	return out, err
}

// settings is values at paths as the fields of a record.
func settings(set []Setting) (record.Fields, error) {
	m := map[string]any{}
	for _, s := range set {
		path, err := jsonx.ParsePath(s.Path)
		if err != nil || len(path) == 0 {
			return nil, &trial.UsageError{Text: fmt.Sprintf("--set %q names no field", s.Path)}
		}
		jsonx.Set(m, path, s.Value)
	}
	return jsonx.Flatten(m)
}

// hold reserves the state file, if there is one, until release.
func hold(ctx context.Context, cfg *config.Config, o Options) (release func() error, err error) {
	path := cfg.State
	if o.State != "" {
		path = o.State
	}
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return func() error { return nil }, nil
	}
	s, err := state.Open(ctx, path, state.Options{})
	if err != nil {
		return nil, fmt.Errorf("open state file %s: %w", path, err)
	}
	if err := s.Lock(ctx, o.Command, time.Now()); err != nil {
		err = fmt.Errorf("lock state file %s, so that no job carries what is written for a test to the other side: %w", path, err)
		return nil, errors.Join(err, s.Close())
	}
	return s.Close, nil
}

// openCounted opens the system of an API and counts what is sent.
func openCounted(sys config.System, cfg *config.Config, o Options) (connectors.Connector, *atomic.Int64, error) {
	a := &App{Config: &config.Config{TimeZone: cfg.TimeZone, Systems: cfg.Systems}, log: o.Log}
	rt := http.DefaultTransport
	if o.Transport != nil {
		rt = o.Transport(sys.Name)
	}
	sent := &atomic.Int64{}
	conn, err := a.openREST(sys, counted{rt, sent}, nil)
	return conn, sent, err
}

// counted counts requests.
type counted struct {
	under http.RoundTripper
	sent  *atomic.Int64
}

// RoundTrip passes a request on.
func (c counted) RoundTrip(r *http.Request) (*http.Response, error) {
	c.sent.Add(1)
	return c.under.RoundTrip(r)
}
