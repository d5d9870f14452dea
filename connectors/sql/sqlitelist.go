package sql

import (
	"context"
	dbsql "database/sql"
)

func (sqlite) tables(ctx context.Context, db *dbsql.DB) ([]tableName, error) {
	rows, err := scanned(ctx, db, 1, `select name from sqlite_master
		where type in ('table', 'view') and name not like 'sqlite\_%' escape '\' order by name`)
	var out []tableName
	for _, r := range rows {
		out = append(out, tableName{name: r[0]})
	}
	return out, err
}

func (sqlite) keys(ctx context.Context, db *dbsql.DB, n tableName) (primary []string, refers map[string]string, err error) {
	rows, err := scanned(ctx, db, 1, `select name from pragma_table_info(?) where pk > 0 order by pk`, n.name)
	if err != nil {
		return nil, nil, err
	}
	for _, r := range rows {
		primary = append(primary, r[0])
	}
	rows, err = scanned(ctx, db, 2, `select min("from"), min("table") from pragma_foreign_key_list(?) group by id having count(*) = 1`, n.name)
	refers = map[string]string{}
	for _, r := range rows {
		refers[r[0]] = r[1]
	}
	return primary, refers, err
}
