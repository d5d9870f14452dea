package sql

import (
	"context"
	dbsql "database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"

	"nightporter/connectors"
	"nightporter/sync/record"
)

// Conn is one database, opened. It is a Connector, a Getter, a Writer, a Finder,
// a Beyonder and an Asker.
type Conn struct {
	cfg Config
	db  *dbsql.DB
	d   dialect

	mu     sync.Mutex
	tables map[record.Kind]*table // as last described
	sizes  map[record.Kind]int    // bytes of the last page, as a hint for the next
}

var (
	_ connectors.Connector = (*Conn)(nil)
	_ connectors.Getter    = (*Conn)(nil)
	_ connectors.Writer    = (*Conn)(nil)
	_ connectors.Finder    = (*Conn)(nil)
	_ connectors.Asker     = (*Conn)(nil)
	_ connectors.Beyonder  = (*Conn)(nil)

	_ connectors.Identifier = (*Conn)(nil)
)

// Open checks cfg and makes a pool of connections. It does not wait for the
// database: one that is off is found out by the first call, as Transient.
func Open(_ context.Context, cfg Config) (connectors.Connector, error) {
	var d dialect
	switch cfg.Driver {
	case "postgres":
		d = postgres{}
	case "sqlite":
		d = sqlite{}
	default:
		return nil, fmt.Errorf("open database: unknown driver %q: there are postgres and sqlite", cfg.Driver)
	}
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("open %s database: %w", cfg.Driver, err)
	}
	db, err := d.open(cfg)
	if err != nil {
		return nil, fmt.Errorf("open %s database: %w", cfg.Driver, err)
	}
	return &Conn{
		cfg: cfg, db: db, d: d,
		tables: map[record.Kind]*table{}, sizes: map[record.Kind]int{},
	}, nil
}

// Close ends the pool's connections.
func (c *Conn) Close() error {
	if err := c.db.Close(); err != nil {
		return fmt.Errorf("close database: %w", err)
	}
	return nil
}

// within bounds one call.
func (c *Conn) within(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, c.cfg.Timeout,
		fmt.Errorf("no answer within %s: %w", c.cfg.Timeout, context.DeadlineExceeded))
}

// fail is err as the contract wants it: a class, and a text without a row's
// values. A done context is the cause where there is one.
func (c *Conn) fail(ctx context.Context, op string, ref record.Ref, err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*connectors.Error](err); ok {
		own := *e
		own.Op, own.Ref, own.Host = op, ref, c.cfg.Address
		return &own
	}
	if cause := context.Cause(ctx); cause != nil {
		return &connectors.Error{Class: connectors.Transient, Op: op, Host: c.cfg.Address, Ref: ref, Err: cause}
	}
	f := c.d.classify(err)
	if f.schema {
		c.forget()
	}
	return &connectors.Error{Class: f.class, Op: op, Host: c.cfg.Address, Ref: ref, Err: errors.New(f.text), Hint: c.where(f), Fields: f.named}
}

// where is what the reader can do about a fault, and which database it is of where only
// that tells whose login is meant.
func (c *Conn) where(f fault) string {
	if f.class == connectors.Unauthorized && c.cfg.Address != "" {
		return f.hint + ", at " + c.cfg.Address
	}
	return f.hint
}

// fieldsOf is the columns that a read asks for. One that is not there, or may not be
// read, is looked for anew by the next call: somebody may have mended it.
func (c *Conn) fieldsOf(t *table, op string, names []string) ([]string, error) {
	fields, err := t.fields(op, names)
	if err != nil {
		c.forget()
	}
	return fields, err
}

// forget makes the next call read the catalogue again.
func (c *Conn) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.tables)
}

// named is a message about a constraint or a column, as both dialects put it.
func named(what string, names ...string) string {
	var parts []string
	for i := 0; i+1 < len(names); i += 2 {
		if names[i+1] != "" {
			parts = append(parts, names[i]+" "+names[i+1])
		}
	}
	if len(parts) == 0 {
		return what
	}
	return what + " (" + strings.Join(parts, ", ") + ")"
}
