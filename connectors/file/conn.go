package file

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// Conn is a folder, opened. It is a Connector, a Getter, a Finder and a Writer.
type Conn struct {
	cfg   Config
	kinds map[record.Kind]*kind

	mu     sync.Mutex
	closed bool
}

// kind is one kind with what was last read of it.
type kind struct {
	File
	name record.Kind

	mu   sync.Mutex
	seen *sheet
}

var (
	_ connectors.Connector = (*Conn)(nil)
	_ connectors.Getter    = (*Conn)(nil)
	_ connectors.Finder    = (*Conn)(nil)
	_ connectors.Writer    = (*Conn)(nil)
)

// Open checks cfg. It looks at no file: one that is missing is found out by the first
// call.
func Open(cfg Config) (*Conn, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("open files: %w", err)
	}
	c := &Conn{cfg: cfg, kinds: map[record.Kind]*kind{}}
	for name, f := range cfg.Files {
		c.kinds[name] = &kind{File: f, name: name}
	}
	return c, nil
}

// Close makes all further calls fail.
func (c *Conn) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	return nil
}

// kind finds a kind for a call.
func (c *Conn) kind(ctx context.Context, op string, name record.Kind) (*kind, error) {
	if err := alive(ctx); err != nil {
		return nil, c.failed(ctx, op, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, &connectors.Error{Class: connectors.Transient, Op: op, Host: c.cfg.Folder, Err: errors.New("the folder was closed")}
	}
	k, ok := c.kinds[name]
	if !ok {
		return nil, connectors.Wrong(connectors.Unsupported, op, "no file is configured for %q", name)
	}
	return k, nil
}

func (k *kind) last() *sheet {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.seen
}

func (k *kind) keep(s *sheet) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.seen = s
}
