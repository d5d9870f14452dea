package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"nightporter/internal/config"
	"nightporter/state"
	"nightporter/sync/record"
)

// look opens the state for reading alone, beside whoever runs jobs on it. Where
// nothing was run yet there is none, and the Store is nil.
func (c *cli) look(ctx context.Context) (*config.Config, *state.Store, error) {
	cfg, err := c.load()
	if err != nil {
		return nil, nil, err
	}
	s, err := c.lookAt(ctx, cfg)
	return cfg, s, err
}

// lookAt is look with a configuration that was read.
func (c *cli) lookAt(ctx context.Context, cfg *config.Config) (*state.Store, error) {
	s, err := state.Open(ctx, c.statePath(cfg), state.Options{ReadOnly: true, SkipCheck: true})
	if errors.Is(err, fs.ErrNotExist) {
		c.say("nothing was run yet: there is no state at %s", c.statePath(cfg))
		return nil, nil //nolint:nilnil // nothing was run yet: look says so
	}
	if err != nil {
		return nil, fmt.Errorf("open state file %s: %w", c.statePath(cfg), err)
	}
	return s, nil
}

func (c *cli) statePath(cfg *config.Config) string {
	if c.state != "" {
		return c.state
	}
	return cfg.State
}

// systemsOf is the names of a job's systems, left first. A job that the
// configuration no longer has keeps the words left and right.
func systemsOf(cfg *config.Config, b record.Binding) [2]record.System {
	j, ok := cfg.Job(string(b))
	if !ok {
		return [2]record.System{"left", "right"}
	}
	return [2]record.System{record.System(j.Left.System), record.System(j.Right.System)}
}

// instant is a point in time: RFC 3339 in UTC for JSON, the house's clock where people read
// it, "" for none.
type instant string

func timeJSON(t time.Time) instant {
	if t.IsZero() {
		return ""
	}
	return instant(t.UTC().Format(time.RFC3339))
}

// String is the point in time on the house's clock, with its zone.
func (i instant) String() string {
	t, err := time.Parse(time.RFC3339, string(i))
	if err != nil {
		return string(i)
	}
	return moment(t)
}
