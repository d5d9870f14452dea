package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"nightporter/internal/config"
	"nightporter/state"
)

// OpenCopy opens a configuration on a copy of its state, so that nothing that is
// seen or done is remembered, and nobody who runs jobs on the state meanwhile is
// disturbed. remove closes the App and deletes the copy.
func OpenCopy(ctx context.Context, cfg *config.Config, o Options) (a *App, remove func() error, err error) {
	dir, err := os.MkdirTemp("", "nightporter-") // 0700: it holds guests' data
	if err != nil {
		return nil, nil, fmt.Errorf("make a folder for a copy of the state: %w", err)
	}
	remove = func() error {
		var closed error
		if a != nil {
			closed = a.Close()
		}
		return errors.Join(closed, os.RemoveAll(dir))
	}
	from := statePath(cfg, o)
	o.State, o.Jobs = filepath.Join(dir, "nightporter.db"), false
	if err := copyState(ctx, from, o.State); err != nil {
		return nil, nil, errors.Join(err, remove())
	}
	if a, err = Open(ctx, cfg, o); err != nil {
		a = nil // closed already
		return nil, nil, errors.Join(err, remove())
	}
	return a, remove, nil
}

func statePath(cfg *config.Config, o Options) string {
	if o.State != "" {
		return o.State
	}
	return cfg.State
}

// copyState copies a state file. Where there is none yet, there is none to copy.
func copyState(ctx context.Context, from, to string) (err error) {
	s, err := state.Open(ctx, from, state.Options{ReadOnly: true, SkipCheck: true})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open state file %s: %w", from, err)
	}
	return errors.Join(s.CopyTo(ctx, to), s.Close())
}
