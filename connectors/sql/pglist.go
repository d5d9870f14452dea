package sql

import (
	"context"
	dbsql "database/sql"
)

// pgReadable are the tables and views of which the user may read some column.
const pgReadable = `
select n.nspname::text, c.relname::text
from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')
  and n.nspname not like 'pg\_temp%' and n.nspname not like 'pg\_toast%' and not c.relispartition
  and has_schema_privilege(n.oid, 'USAGE') and has_any_column_privilege(c.oid, 'SELECT')
order by 1, 2`

// pgPrimary are the columns of a table's primary key, in its order.
const pgPrimary = `
select a.attname::text
from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
join pg_catalog.pg_index i on i.indrelid = c.oid and i.indisprimary
cross join lateral unnest(i.indkey::int2[]) with ordinality as k(attnum, nr)
join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
where n.nspname = $1 and c.relname = $2
order by k.nr`

// pgForeign are the columns that hold another table's key, where it is of one column.
const pgForeign = `
select a.attname::text, fn.nspname || '.' || f.relname
from pg_catalog.pg_constraint k
join pg_catalog.pg_class c on c.oid = k.conrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
join pg_catalog.pg_class f on f.oid = k.confrelid join pg_catalog.pg_namespace fn on fn.oid = f.relnamespace
join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = k.conkey[1]
where k.contype = 'f' and array_length(k.conkey, 1) = 1 and n.nspname = $1 and c.relname = $2
order by 1, 2`

func (postgres) tables(ctx context.Context, db *dbsql.DB) ([]tableName, error) {
	rows, err := scanned(ctx, db, 2, pgReadable)
	var out []tableName
	for _, r := range rows {
		out = append(out, tableName{r[0], r[1]})
	}
	return out, err
}

func (postgres) keys(ctx context.Context, db *dbsql.DB, n tableName) (primary []string, refers map[string]string, err error) {
	rows, err := scanned(ctx, db, 1, pgPrimary, n.schema, n.name)
	if err != nil {
		return nil, nil, err
	}
	for _, r := range rows {
		primary = append(primary, r[0])
	}
	rows, err = scanned(ctx, db, 2, pgForeign, n.schema, n.name)
	refers = map[string]string{}
	for _, r := range rows {
		refers[r[0]] = r[1]
	}
	return primary, refers, err
}
