// Package sql connects Nightporter to a management system's database: SQLite or
// PostgreSQL, a table or a query for each kind, told apart by a dialect.
//
// Only columns that a query names are read, and those the table's settings name:
// key, times, version and our mark. Private columns are in no statement of ours.
// Every statement carries the table's predicate, so that a row outside of it is
// never shown.
package sql

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"nightporter/connectors/internal/dbkit"
	"nightporter/connectors/internal/dockit"
	"nightporter/sync/record"
)

// The defaults of a Config and its tables.
const (
	DefaultPageSize = 500
	DefaultMaxField = 1 << 20
	DefaultOverlap  = 2 * time.Minute
	DefaultConnect  = 10 * time.Second
	DefaultTimeout  = time.Minute
)

// Config says how to reach a database and what its tables mean.
type Config struct {
	Driver string // "sqlite" or "postgres"

	// DSN is the driver's own connection text, or the parts stand below.
	DSN      string
	Address  string // host:port/database, or the path of a SQLite file
	User     string
	Password string
	Secret   func() (string, error) // the password, asked for each connection; nil: Password
	TLS      string                 // PostgreSQL's sslmode; empty: encrypted where the server can

	Tables    map[record.Kind]Table
	Documents []Document

	PageSize int            // rows a page; 0: DefaultPageSize
	MaxField int            // bytes that a field may have to be read; 0: DefaultMaxField
	TimeZone *time.Location // what a time without a zone means; nil: UTC
	Connect  time.Duration  // how long connecting may take; 0: DefaultConnect
	Timeout  time.Duration  // how long one call may take; 0: DefaultTimeout
}

// Table says what one kind's records are.
type Table struct {
	// Table is "schema.name" or "name". With a Query it is the table that is
	// written to, and may be empty when nothing is.
	Table string
	Query string // a select that is read in place of the table

	Key       []string // columns that tell rows apart, in the order of the id
	Changed   string   // column with the time of the last change
	Created   string   // column with the time of creation
	ChangedBy string   // column with who changed the row last
	Deleted   string   // column that is filled in a row that counts as deleted
	Version   string   // column that is another value after each change; PostgreSQL: xmin will do
	OurMark   string   // column that keeps our reference

	// VersionBump counts Version up with each update, for a table whose own
	// triggers don't.
	VersionBump bool

	// MayDelete says that rows may be deleted.
	MayDelete bool

	Only     string    // a condition in SQL; rows outside of it don't exist for us
	Private  []string  // columns that are never read, written or described
	Fields   []string  // columns that Get, Find and the answer of a write show; empty: all described ones
	Window   [2]string // columns of the first and the last day, for kinds with a date
	AcceptIf string    // a query that must find a row before a record is created

	// Overlap is how far behind the last time seen an incremental scan begins
	// again: longer than the longest transaction that writes here. 0: DefaultOverlap.
	Overlap time.Duration
}

// withDefaults is cfg with its zero values replaced, or why it can't be used. It
// looks at the text alone; whether the tables are there is Describe's to say.
func (cfg Config) withDefaults() (Config, error) {
	cfg.PageSize = or(cfg.PageSize, DefaultPageSize)
	cfg.MaxField = or(cfg.MaxField, DefaultMaxField)
	cfg.Connect = or(cfg.Connect, DefaultConnect)
	cfg.Timeout = or(cfg.Timeout, DefaultTimeout)
	if cfg.TimeZone == nil {
		cfg.TimeZone = time.UTC
	}
	if cfg.DSN == "" && cfg.Address == "" {
		return cfg, errors.New("no address: name the server as host:port/database, or the file")
	}
	if len(cfg.Tables)+len(cfg.Documents) == 0 {
		return cfg, errors.New("no tables: name at least one")
	}
	var err error
	if cfg.Documents, err = readyDocuments(cfg.Documents); err != nil {
		return cfg, err
	}
	if _, ok := cfg.Tables[dockit.Kind]; ok && len(cfg.Documents) > 0 {
		return cfg, fmt.Errorf("a table of %s, and documents that are called so", dockit.Kind)
	}
	tables := make(map[record.Kind]Table, len(cfg.Tables))
	for _, kind := range slices.Sorted(maps.Keys(cfg.Tables)) {
		t := cfg.Tables[kind]
		t.Overlap = or(t.Overlap, DefaultOverlap)
		if err := t.check(); err != nil {
			return cfg, fmt.Errorf("table of %s: %w", kind, err)
		}
		tables[kind] = t
	}
	cfg.Tables = tables
	return cfg, nil
}

// check looks for what can't be meant.
func (t Table) check() error {
	if t.Table == "" && t.Query == "" {
		return errors.New("neither a table nor a query is named")
	}
	if t.Table != "" {
		if _, _, err := dbkit.SplitName(t.Table); err != nil {
			return fmt.Errorf("read table name %q: %w", t.Table, err)
		}
	}
	if len(t.Key) == 0 || slices.Contains(t.Key, "") {
		return errors.New("no key: name the column, or columns, that tell rows apart")
	}
	if (t.Window[0] == "") != (t.Window[1] == "") {
		return errors.New("a window needs the column of the first and that of the last day")
	}
	if t.VersionBump && t.Version == "" {
		return errors.New("version_bump needs a version column")
	}
	for _, c := range t.Private {
		if slices.Contains(slices.Concat(t.uses(), t.Fields), c) {
			return fmt.Errorf("column %q is private and can't be used", c)
		}
	}
	if err := dbkit.CheckPredicate(t.Only); err != nil {
		return fmt.Errorf("read the condition `only`: %w", err)
	}
	if t.Query != "" {
		if n, err := dbkit.ParseNamed(t.Query); err != nil {
			return fmt.Errorf("read the query: %w", err)
		} else if names := n.Names(); len(names) > 0 {
			return fmt.Errorf("read the query: it can't have parameters, as :%s", names[0])
		}
	}
	if t.AcceptIf != "" {
		n, err := dbkit.ParseNamed(t.AcceptIf)
		if err != nil {
			return fmt.Errorf("read accept_if: %w", err)
		}
		for _, name := range n.Names() {
			if slices.Contains(t.Private, name) {
				return fmt.Errorf("read accept_if: column %q is private and can't be used", name)
			}
		}
	}
	return nil
}

// uses is the columns that are read with every record.
func (t Table) uses() []string {
	var names []string
	for _, c := range slices.Concat(t.Key, []string{t.Changed, t.Created, t.ChangedBy, t.Deleted, t.Version, t.OurMark}) {
		if c != "" && !slices.Contains(names, c) {
			names = append(names, c)
		}
	}
	return names
}

// only is the predicate between brackets, "" for none. The line's end closes a
// comment.
func (t Table) only() string {
	if strings.TrimSpace(t.Only) == "" {
		return ""
	}
	return "(" + t.Only + "\n)"
}

func or[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}
