package sql

import (
	"context"
	dbsql "database/sql"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"nightporter/connectors"
	"nightporter/connectors/internal/dbkit"
)

// pgTable finds a table by its exact name: in its schema, or along the search path.
const pgTable = `
select c.oid::int8, n.nspname::text, c.relkind::text, has_schema_privilege(n.oid, 'USAGE'),
       case when c.relkind in ('r', 'p', 'f') then true else pg_relation_is_updatable(c.oid, true) & 8 = 8 end
         and has_any_column_privilege(c.oid, 'INSERT'),
       case when c.relkind in ('r', 'p', 'f') then true else pg_relation_is_updatable(c.oid, true) & 4 = 4 end
         and has_any_column_privilege(c.oid, 'UPDATE')
from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p', 'v', 'm', 'f') and c.relname = $1
  and case when $2 = '' then pg_table_is_visible(c.oid) else n.nspname = $2 end`

// pgNames are the tables that a mistyped name may have meant.
const pgNames = `
select case when $1 = '' then c.relname else n.nspname || '.' || c.relname end
from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')
order by 1`

// pgColumns describes columns; a domain is what it is made of.
const pgColumns = `
select a.attname::text, bt.typname::text, quote_ident(bn.nspname) || '.' || quote_ident(bt.typname),
       a.attnotnull or t.typnotnull, a.atthasdef or a.attidentity <> '' or t.typdefault is not null,
       a.attgenerated <> '' or a.attidentity = 'a',
       case when bt.typname in ('varchar', 'bpchar') and greatest(a.atttypmod, t.typtypmod) > 4
            then greatest(a.atttypmod, t.typtypmod) - 4 else 0 end,
       has_column_privilege(a.attrelid, a.attnum, 'SELECT'), bt.typtype::text
from pg_catalog.pg_attribute a
join pg_catalog.pg_type t on t.oid = a.atttypid
join pg_catalog.pg_type bt on bt.oid = case when t.typtype = 'd' then t.typbasetype else t.oid end
join pg_catalog.pg_namespace bn on bn.oid = bt.typnamespace
where a.attrelid = $1::int8::oid and a.attnum > 0 and not a.attisdropped
order by a.attnum`

// pgUnique lists unique indexes whose columns are plain ones: those over all
// rows, and those over the rows in which the one column is not null.
const pgUnique = `
select json_agg(a.attname order by k.nr)::text, coalesce(pg_get_expr(i.indpred, i.indrelid), '')
from pg_catalog.pg_index i
cross join lateral unnest(i.indkey::int2[]) with ordinality as k(attnum, nr)
join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
where i.indrelid = $1::int8::oid and i.indisunique and i.indisvalid and i.indexprs is null and k.nr <= i.indnkeyatts
group by i.indexrelid, i.indpred, i.indrelid
order by 1`

func (p postgres) columns(ctx context.Context, db *dbsql.DB, schema, name string) (source, error) {
	s := source{columns: map[string]column{}}
	var oid int64
	var kind string
	var usage bool
	err := db.QueryRowContext(ctx, pgTable, name, schema).Scan(&oid, &schema, &kind, &usage, &s.inserts, &s.updates)
	if errors.Is(err, dbsql.ErrNoRows) {
		return s, p.missing(ctx, db, schema, name)
	}
	if err != nil {
		return s, err
	}
	if !usage {
		return s, &connectors.Error{
			Class: connectors.Forbidden, Hint: "grant usage on schema " + dbkit.Quote(schema),
			Err: connectors.Wrong(connectors.Forbidden, "table "+schema+"."+name, "this user may not use schema %s", schema),
		}
	}
	s.schema = schema
	rows, err := db.QueryContext(ctx, pgColumns, oid)
	if err != nil {
		return s, err
	}
	defer rows.Close()
	for rows.Next() {
		var c column
		var typtype string
		if err := rows.Scan(&c.name, &c.base, &c.typ, &c.notNull, &c.filled, &c.computed, &c.maxRunes, &c.readable, &typtype); err != nil {
			return s, err
		}
		c.form = pgForm(c.base)
		c.maxBytes = pgSize(c, typtype)
		s.columns[c.name] = c
		s.order = append(s.order, c.name)
	}
	if err := rows.Err(); err != nil {
		return s, err
	}
	if kind == "r" || kind == "p" {
		s.columns[xmin] = column{name: xmin, base: "xid", maxBytes: 16, notNull: true, computed: true, readable: true}
	}
	return s, p.unique(ctx, db, oid, &s)
}

// unique reads the unique indexes.
func (postgres) unique(ctx context.Context, db *dbsql.DB, oid int64, s *source) error {
	rows, err := db.QueryContext(ctx, pgUnique, oid)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var list, predicate string
		if err := rows.Scan(&list, &predicate); err != nil {
			return err
		}
		var set []string
		if err := json.Unmarshal([]byte(list), &set); err != nil {
			return err
		}
		if predicate == "" {
			s.unique = append(s.unique, set)
		}
		if len(set) == 1 && (predicate == "" || strings.ReplaceAll(predicate, `"`, "") == "("+set[0]+" IS NOT NULL)") {
			s.marks = append(s.marks, set[0])
		}
	}
	return rows.Err()
}

// missing says that a table is not there, and which one was probably meant.
func (postgres) missing(ctx context.Context, db *dbsql.DB, schema, name string) error {
	rows, err := db.QueryContext(ctx, pgNames, schema)
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
	if schema != "" {
		name = schema + "." + name
	}
	return noTable(name, names)
}

// noTable says that a table is not there.
func noTable(name string, names []string) error {
	e := connectors.Wrong(connectors.Malformed, "", "there is no table %q", name)
	if near := dbkit.Nearest(name, names); near != "" {
		e.Hint = "did you mean " + near + "?"
	}
	return e
}

// pgForm is how a type's text is understood.
func pgForm(base string) form {
	switch base {
	case "int2", "int4", "int8", "oid", "numeric", "float4", "float8", "money":
		return asNumber
	case "bool":
		return asBool
	case "date":
		return asDate
	case "timestamptz":
		return asInstant
	case "timestamp":
		return asLocal
	case "json", "jsonb":
		return asJSON
	case "bytea":
		return asBytes
	}
	if strings.HasPrefix(base, "_") {
		return asList
	}
	return asText
}

// pgSize is how many bytes a column's text can have at most, 0 for no limit.
func pgSize(c column, typtype string) int {
	const most = 4 // bytes of a character in UTF-8
	switch {
	case c.maxRunes > 0:
		return c.maxRunes * most
	case typtype == "e", slices.Contains([]string{"uuid", "time", "timetz", "interval", "inet", "name", "xid"}, c.base):
		return 64 * most
	}
	return 0
}

func (postgres) column(t *dbsql.ColumnType) column {
	c := column{name: t.Name(), base: strings.ToLower(t.DatabaseTypeName())}
	if c.base != "" && !strings.ContainsAny(c.base, "0123456789") || pgForm(c.base) != asText {
		c.typ = "pg_catalog." + dbkit.Quote(c.base)
	} else {
		c.base = ""
	}
	c.form = pgForm(c.base)
	return c
}

// sequences are those that defaults of the table name. An identity draws from its own
// without a right.
func (postgres) sequences(ctx context.Context, db *dbsql.DB, schema, table string) ([]string, error) {
	rows, err := db.QueryContext(ctx, `select distinct quote_ident(n.nspname) || '.' || quote_ident(s.relname)
		from pg_class t join pg_attrdef d on d.adrelid = t.oid
		join pg_depend p on p.classid = 'pg_attrdef'::regclass and p.objid = d.oid and p.refclassid = 'pg_class'::regclass
		join pg_class s on s.oid = p.refobjid and s.relkind = 'S' join pg_namespace n on n.oid = s.relnamespace
		where t.oid = (select c.oid from pg_class c join pg_namespace m on m.oid = c.relnamespace
			where case when $1 = '' then c.relname = $2 and pg_table_is_visible(c.oid) else m.nspname = $1 and c.relname = $2 end)
		order by 1`, schema, table)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		out = append(out, name)
	}
	return out, rows.Err()
}

func (postgres) grants(g rights) []string {
	user, table := dbkit.Quote(or(g.user, "nightporter")), dbkit.Quote(g.table)
	var out []string
	if g.schema != "" {
		table = dbkit.Quote(g.schema) + "." + table
		out = append(out, "grant usage on schema "+dbkit.Quote(g.schema)+" to "+user+";")
	}
	add := func(right string, columns []string) {
		if len(columns) > 0 && g.table != "" {
			out = append(out, "grant "+right+" ("+dbkit.QuoteAll(columns)+") on "+table+" to "+user+";")
		}
	}
	add("select", g.reads)
	add("insert", g.creates)
	for _, name := range g.sequences {
		out = append(out, "grant usage on sequence "+name+" to "+user+";")
	}
	add("update", g.updates)
	if g.deletes {
		out = append(out, "grant delete on "+table+" to "+user+";")
	}
	if g.query {
		out = append(out, "-- and select on what the query reads, for "+user)
	}
	if g.accepts {
		out = append(out, "-- and select on what accept_if reads, for "+user)
	}
	return out
}
