package sql

import (
	"context"
	dbsql "database/sql"
	"errors"
	"regexp"
	"strings"

	"nightporter/connectors/internal/dbkit"
)

func (s sqlite) columns(ctx context.Context, db *dbsql.DB, schema, name string) (source, error) {
	out := source{columns: map[string]column{}}
	schema = or(schema, "main")
	var kind string
	err := db.QueryRowContext(ctx, "select type from "+dbkit.Quote(schema)+
		".sqlite_master where name = ? and type in ('table', 'view')", name).Scan(&kind)
	if errors.Is(err, dbsql.ErrNoRows) {
		return out, s.missing(ctx, db, schema, name)
	}
	if err != nil {
		return out, err
	}
	keys, err := s.list(ctx, db, schema, name, &out)
	if err != nil {
		return out, err
	}
	out.inserts, out.updates = kind == "table", kind == "table"
	if len(keys) > 0 {
		out.unique = append(out.unique, keys)
	}
	// A lone INTEGER PRIMARY KEY is the row's own number: filled in, never null.
	if len(keys) == 1 && out.columns[keys[0]].base == "integer" {
		c := out.columns[keys[0]]
		c.filled, c.notNull = true, true
		out.columns[keys[0]] = c
	}
	return out, s.unique(ctx, db, schema, name, &out)
}

// list reads the columns, and returns those of the primary key.
func (sqlite) list(ctx context.Context, db *dbsql.DB, schema, name string, out *source) ([]string, error) {
	rows, err := db.QueryContext(ctx, `select name, type, "notnull", dflt_value is not null, pk, hidden
		from pragma_table_xinfo(?, ?) order by cid`, name, schema)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var keys []string
	for rows.Next() {
		var c column
		var pk, hidden int
		if err := rows.Scan(&c.name, &c.base, &c.notNull, &c.filled, &pk, &hidden); err != nil {
			return nil, err
		}
		if hidden == 1 { // of a virtual table
			continue
		}
		c.base, c.readable, c.computed = strings.ToLower(c.base), true, hidden > 1
		out.columns[c.name] = c
		out.order = append(out.order, c.name)
		if pk > 0 {
			keys = append(keys, c.name)
		}
	}
	return keys, rows.Err()
}

// notNullIndex is the end of an index over the rows that have a value.
var notNullIndex = regexp.MustCompile(`(?is)\bwhere\s+\(?["\x60\[]?(\w+)["\x60\]]?\s+is\s+not\s+null\)?\s*$`)

// unique reads the unique indexes; one over an expression is left out.
func (sqlite) unique(ctx context.Context, db *dbsql.DB, schema, name string, out *source) error {
	//nolint:gosec // the schema's name is quoted
	query := `select l.name, l.partial, i.name, coalesce(m.sql, '')
		from pragma_index_list(?1, ?2) l join pragma_index_xinfo(l.name, ?2) i
		left join ` + dbkit.Quote(schema) + `.sqlite_master m on m.type = 'index' and m.name = l.name
		where l."unique" = 1 and i.key = 1 order by l.seq, i.seqno`
	rows, err := db.QueryContext(ctx, query, name, schema)
	if err != nil {
		return err
	}
	defer rows.Close()
	type index struct {
		columns []string
		partial bool
		broken  bool
		sql     string
	}
	var order []string
	found := map[string]*index{}
	for rows.Next() {
		var ix string
		var col dbsql.NullString
		var now index
		if err := rows.Scan(&ix, &now.partial, &col, &now.sql); err != nil {
			return err
		}
		if found[ix] == nil {
			found[ix] = &now
			order = append(order, ix)
		}
		found[ix].broken = found[ix].broken || !col.Valid
		found[ix].columns = append(found[ix].columns, col.String)
	}
	for _, ix := range order {
		x := found[ix]
		if x.broken {
			continue
		}
		where := notNullIndex.FindStringSubmatch(x.sql)
		if !x.partial {
			out.unique = append(out.unique, x.columns)
		}
		if len(x.columns) == 1 && (!x.partial || len(where) == 2 && strings.EqualFold(where[1], x.columns[0])) {
			out.marks = append(out.marks, x.columns[0])
		}
	}
	return rows.Err()
}

// missing says that a table is not there, and which one was probably meant.
func (sqlite) missing(ctx context.Context, db *dbsql.DB, schema, name string) error {
	//nolint:gosec // the schema's name is quoted
	query := "select name from " + dbkit.Quote(schema) +
		".sqlite_master where type in ('table', 'view') and name not like 'sqlite_%'"
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	var names []string
	for rows.Next() {
		var n string
		if err := rows.Scan(&n); err != nil {
			return err
		}
		names = append(names, n)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	return noTable(name, names)
}

func (sqlite) column(t *dbsql.ColumnType) column {
	return column{name: t.Name(), base: strings.ToLower(t.DatabaseTypeName())}
}

func (sqlite) sequences(context.Context, *dbsql.DB, string, string) ([]string, error) {
	return nil, nil
}

func (sqlite) grants(g rights) []string {
	if len(g.creates)+len(g.updates) == 0 && !g.deletes {
		return []string{"-- the file " + g.file + " must be readable for this user"}
	}
	return []string{"-- the file " + g.file + " and its folder must be readable and writable for this user"}
}
