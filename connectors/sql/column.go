package sql

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"nightporter/connectors"
	"nightporter/connectors/internal/dbkit"
	"nightporter/sync/record"
)

// form says how the text of a column is to be understood.
type form uint8

const (
	asText form = iota
	asNumber
	asBool
	asDate
	asInstant // a time with its zone
	asLocal   // a time without one
	asJSON
	asList
	asBytes
)

// column is one column of a table or of a query's answer.
type column struct {
	name     string
	typ      string // as the dialect writes it in a cast; "" where it needs none
	base     string // the type's bare name
	form     form
	notNull  bool
	filled   bool // the database fills it in when an insert doesn't name it
	computed bool // it can't be written at all
	maxRunes int
	maxBytes int // 0: no limit known
	readable bool
}

// whole reports whether the database refuses a number with a fraction there. A column of
// SQLite takes it, whatever its type is.
func (c column) whole() bool { return slices.Contains([]string{"int2", "int4", "int8"}, c.base) }

// source is a table, or a query's answer, as the catalogue shows it.
type source struct {
	schema  string // where it was found, "" where there are none
	columns map[string]column
	order   []string   // the columns' names, in their own order
	unique  [][]string // sets of columns that are unique over all rows
	marks   []string   // columns that are unique where they are not null
	inserts bool       // a row can be created, as far as can be seen
	updates bool
}

// table is a kind's table, described.
type table struct {
	Table
	kind   record.Kind
	read   source
	write  source // of the table written to; the same as read where there is no query
	accept dbkit.Named
	proven bool // the key is unique, as the catalogue says
}

// table is what is known of a kind's table; the catalogue is read once, and again
// after the database said that it is not as described.
func (c *Conn) table(ctx context.Context, op string, kind record.Kind) (*table, error) {
	conf, ok := c.cfg.Tables[kind]
	if !ok {
		return nil, connectors.Wrong(connectors.Unsupported, op, "no table is configured for %q", kind)
	}
	c.mu.Lock()
	t := c.tables[kind]
	c.mu.Unlock()
	if t != nil {
		return t, nil
	}
	t, err := c.describe(ctx, kind, conf)
	if err != nil {
		return nil, c.fail(ctx, op, record.Ref{}, err)
	}
	c.mu.Lock()
	c.tables[kind] = t
	c.mu.Unlock()
	return t, nil
}

// describe reads the catalogue for one kind and checks the settings against it.
func (c *Conn) describe(ctx context.Context, kind record.Kind, conf Table) (*table, error) {
	t := &table{Table: conf, kind: kind}
	if conf.Table != "" {
		schema, name, err := dbkit.SplitName(conf.Table)
		if err != nil {
			return nil, err
		}
		if t.write, err = c.d.columns(ctx, c.db, schema, name); err != nil {
			return nil, err
		}
		t.read = t.write
	}
	if conf.Query != "" {
		var err error
		if t.read, err = c.answer(ctx, conf.Query); err != nil {
			return nil, err
		}
		t.read.unique, t.read.marks = t.write.unique, t.write.marks
	}
	if err := t.checkColumns(); err != nil {
		return nil, err
	}
	for _, set := range t.read.unique {
		t.proven = t.proven || subset(set, t.Key)
	}
	return t, c.checkConditions(ctx, t)
}

// answer describes the columns of a query without reading a row.
func (c *Conn) answer(ctx context.Context, query string) (source, error) {
	//nolint:gosec // the query is the configuration's own
	statement := "select * from (" + query + "\n) as q limit 0"
	rows, err := c.db.QueryContext(ctx, statement)
	if err != nil {
		return source{}, err
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		return source{}, err
	}
	s := source{columns: map[string]column{}}
	for _, ct := range types {
		col := c.d.column(ct)
		col.readable = true
		if _, ok := s.columns[col.name]; ok {
			return source{}, connectors.Wrong(connectors.Malformed, "", "the query has two columns named %q: give one another name with `as`", col.name)
		}
		s.columns[col.name] = col
		s.order = append(s.order, col.name)
	}
	return s, rows.Err()
}

// checkColumns says which of the columns that the settings name are not there.
func (t *table) checkColumns() error {
	var missing []error
	for _, name := range slices.Concat(t.uses(), t.Fields, t.Private, t.Window[:]) {
		if name == "" {
			continue
		}
		col, ok := t.read.columns[name]
		switch {
		case !ok && slices.Contains(t.Private, name) && t.Query != "":
			// A query that leaves a private column out is as it should be.
		case !ok:
			missing = append(missing, t.noColumn(name))
		case !col.readable && !slices.Contains(t.Private, name):
			return connectors.Wrong(connectors.Forbidden, "", "column %q of %s: this user may not read it", name, t.title())
		}
	}
	if len(missing) > 0 {
		return &connectors.Error{Class: connectors.Malformed, Err: errors.Join(missing...)}
	}
	if f := t.read.columns[t.Deleted].form; t.Deleted != "" && (f == asJSON || f == asList || f == asBytes) {
		return connectors.Wrong(connectors.Malformed, "", "column %q of %s: deleted needs a column with a time, a yes or no, or a text", t.Deleted, t.title())
	}
	for _, name := range t.Window {
		if f := t.read.columns[name].form; name != "" && f != asText && f != asDate && f != asInstant && f != asLocal {
			return connectors.Wrong(connectors.Malformed, "", "column %q of %s: a window needs columns with dates", name, t.title())
		}
	}
	if t.AcceptIf == "" {
		return nil
	}
	var err error
	if t.accept, err = dbkit.ParseNamed(t.AcceptIf); err != nil {
		return err
	}
	for _, name := range t.accept.Names() {
		if _, ok := t.read.columns[name]; !ok && name != ourMark && name != theID {
			known := append(t.described(), ourMark, theID)
			return &connectors.Error{
				Class: connectors.Malformed,
				Err:   fmt.Errorf("accept_if of %s: there is no :%s", t.kind, name),
				Hint:  "there are :" + strings.Join(known, ", :"),
			}
		}
	}
	return nil
}

// noColumn says that a column is not there, and which one was probably meant.
func (t *table) noColumn(name string) error {
	if near := dbkit.Nearest(name, t.described()); near != "" {
		return fmt.Errorf("%s has no column %q: did you mean %q?", t.title(), name, near)
	}
	return fmt.Errorf("%s has no column %q", t.title(), name)
}

// title names the table in a message.
func (t *table) title() string {
	if t.Query != "" {
		return "the query of " + string(t.kind)
	}
	return "table " + t.Table.Table
}

// described is the columns that Describe lists: all that may be read.
func (t *table) described() []string {
	var names []string
	for _, name := range t.read.order {
		if t.read.columns[name].readable && !slices.Contains(t.Private, name) {
			names = append(names, name)
		}
	}
	return names
}

// fields checks the names of a query; none stands for those of the settings.
func (t *table) fields(op string, names []string) ([]string, error) {
	if len(names) == 0 {
		names = t.Fields
	}
	if len(names) == 0 {
		return t.described(), nil
	}
	for _, name := range names {
		if err := t.mayRead(op, name); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// mayRead refuses a private column and one that is not there.
func (t *table) mayRead(op, name string) error {
	if slices.Contains(t.Private, name) {
		return connectors.Wrong(connectors.Forbidden, op, "column %q is private", name)
	}
	col, ok := t.read.columns[name]
	if !ok {
		return connectors.Wrong(connectors.Malformed, op, "%v", t.noColumn(name))
	}
	if !col.readable {
		return connectors.Wrong(connectors.Forbidden, op, "column %q of %s: this user may not read it", name, t.title())
	}
	return nil
}

// from is what reads are made from.
func (t *table) from() string {
	if t.Query != "" {
		return "(" + t.Query + "\n) as q"
	}
	return t.target()
}

// target is the table that is written to.
func (t *table) target() string {
	schema, name, err := dbkit.SplitName(t.Table.Table)
	if err != nil { // it was read when the table was described
		return dbkit.Quote(t.Table.Table)
	}
	if schema == "" {
		return dbkit.Quote(name)
	}
	return dbkit.Quote(schema) + "." + dbkit.Quote(name)
}

// checkConditions asks the database whether it understands the predicate and the
// condition of acceptance.
func (c *Conn) checkConditions(ctx context.Context, t *table) error {
	if only := t.only(); only != "" {
		if err := c.ask(ctx, "select 1 from "+t.from()+" where "+only+" limit 0", nil); err != nil {
			if f := c.d.classify(err); f.class == connectors.Malformed {
				return connectors.Wrong(f.class, "", "the condition `only`: %s", f.text)
			}
			return err
		}
	}
	if t.AcceptIf == "" {
		return nil
	}
	query, args, err := c.accepting(t, "", nil, "")
	if err != nil {
		return err
	}
	if err := c.ask(ctx, "select 1 from ("+query+"\n) as accepted limit 0", args); err != nil {
		if f := c.d.classify(err); f.class == connectors.Forbidden || f.class == connectors.Malformed {
			return connectors.Wrong(f.class, "", "accept_if: %s", f.text)
		}
		return err
	}
	return nil
}

// ask runs a query for its errors.
func (c *Conn) ask(ctx context.Context, query string, args []any) error {
	rows, err := c.db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		continue
	}
	return rows.Err()
}

// isNullable reports whether a column can be without a value.
func isNullable(col column) bool { return !col.notNull }

func subset(a, b []string) bool {
	for _, s := range a {
		if !slices.Contains(b, s) {
			return false
		}
	}
	return true
}
