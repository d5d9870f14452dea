package sql

import (
	"context"
	dbsql "database/sql"
	"errors"
	"fmt"
	"slices"

	"nightporter/connectors"
	"nightporter/connectors/internal/dbkit"
	"nightporter/sync/record"
)

// Listed is a table or a view as the catalogue shows it.
type Listed struct {
	Name    string   // with its schema, where the database has any
	Columns []string // that may be read and hold no bytes, in their own order
	// Key is the columns that tell rows apart: the primary key, or other ones that are
	// unique and never null. Empty where the database knows of none.
	Key     []string
	Primary bool              // it is the primary key
	Refers  map[string]string // column -> the table whose key it holds
	Writes  bool              // rows can be changed, as far as can be seen
}

// Catalogue is the tables and views of a database that its user may read, by name, most of
// them at most. It reads no row of theirs. more says that there are others.
func Catalogue(ctx context.Context, cfg Config, most int) (all []Listed, more bool, err error) {
	c, err := listing(ctx, cfg)
	if err != nil {
		return nil, false, err
	}
	defer c.Close()
	ctx, cancel := c.within(ctx)
	defer cancel()
	names, err := c.d.tables(ctx, c.db)
	if err != nil {
		return nil, false, c.fail(ctx, opList, record.Ref{}, err)
	}
	for _, n := range names {
		l, err := c.listed(ctx, n)
		switch {
		case err != nil && connectors.ClassOf(err) == connectors.Forbidden:
			continue
		case err != nil:
			return nil, false, c.fail(ctx, opList, record.Ref{}, err)
		case len(l.Columns) == 0:
			continue
		case len(all) == most:
			return all, true, nil
		}
		all = append(all, l)
	}
	return all, false, nil
}

// CatalogueOf is these tables and views, by the names they are asked for, however many others
// there are. It reads no row of theirs. One that the catalogue does not show is left out.
func CatalogueOf(ctx context.Context, cfg Config, tables []string) (map[string]Listed, error) {
	c, err := listing(ctx, cfg)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	ctx, cancel := c.within(ctx)
	defer cancel()
	out := map[string]Listed{}
	for _, table := range tables {
		var n tableName
		if n.schema, n.name, err = dbkit.SplitName(table); err != nil {
			return nil, connectors.Wrong(connectors.Malformed, opList, "read table name %q: %w", table, err)
		}
		l, err := c.listed(ctx, n)
		err = c.fail(ctx, opList, record.Ref{}, err)
		switch class := connectors.ClassOf(err); {
		case err == nil:
			out[table] = l
		case class != connectors.Forbidden && class != connectors.Malformed: // it may well be there
			return nil, err
		}
	}
	return out, nil
}

const opList = "list tables"

// listing opens a database to look at its catalogue.
func listing(ctx context.Context, cfg Config) (*Conn, error) {
	// No table is named yet: one stands in for them until the settings are whole.
	cfg.Tables = map[record.Kind]Table{"none": {Table: "none", Key: []string{"none"}}}
	opened, err := Open(ctx, cfg)
	if err != nil {
		return nil, err
	}
	c, ok := opened.(*Conn)
	if !ok {
		return nil, errors.Join(fmt.Errorf("list tables: opened a %T", opened), opened.Close())
	}
	return c, nil
}

// tableName is a table's name in its schema, "" where there are none.
type tableName struct{ schema, name string }

func (n tableName) String() string {
	if n.schema == "" {
		return n.name
	}
	return n.schema + "." + n.name
}

func (c *Conn) listed(ctx context.Context, n tableName) (Listed, error) {
	src, err := c.d.columns(ctx, c.db, n.schema, n.name)
	if err != nil {
		return Listed{}, err
	}
	n.schema = or(src.schema, n.schema)
	l := Listed{Name: n.String(), Refers: map[string]string{}}
	for _, name := range src.order {
		if col := src.columns[name]; col.readable && col.form != asBytes && col.base != "blob" {
			l.Columns = append(l.Columns, name)
		}
	}
	l.Writes = src.updates
	if l.Key, l.Refers, err = c.d.keys(ctx, c.db, n); err != nil {
		return l, err
	}
	l.Primary = len(l.Key) > 0
	for _, set := range src.unique {
		whole := !slices.ContainsFunc(set, func(name string) bool {
			return !src.columns[name].notNull || !slices.Contains(l.Columns, name)
		})
		if !l.Primary && whole && (len(l.Key) == 0 || len(set) < len(l.Key)) {
			l.Key = set
		}
	}
	return l, nil
}

// scanned reads rows of texts.
func scanned(ctx context.Context, db *dbsql.DB, columns int, query string, args ...any) (out [][]string, err error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		row := make([]string, columns)
		dest := make([]any, columns)
		for i := range row {
			dest[i] = &row[i]
		}
		if err := rows.Scan(dest...); err != nil {
			return nil, err
		}
		out = append(out, row)
	}
	return out, rows.Err()
}
