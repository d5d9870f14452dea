package sqlite

import (
	"context"
	"database/sql"

	"nightporter/sync/record"
)

// PutSetting keeps a value under a name, for a binding or, with "", for the whole file.
func PutSetting(ctx context.Context, tx *sql.Tx, b record.Binding, name string, value any) error {
	return Exec(ctx, tx, `INSERT INTO setting (binding, name, value) VALUES (?1, ?2, ?3)
		ON CONFLICT (binding, name) DO UPDATE SET value = excluded.value`, b, name, value)
}

// Setting reads the JSON that is kept under a name. Where nothing is kept, into stays as it is.
func Setting(ctx context.Context, q Querier, b record.Binding, name string, into any) error {
	var text string
	err := q.QueryRowContext(ctx, `SELECT value FROM setting WHERE binding = ?1 AND name = ?2`, b, name).Scan(&text)
	if IsNone(err) {
		return nil
	}
	if err == nil {
		err = Decode(text, into)
	}
	return err
}
