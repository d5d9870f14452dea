package links

import (
	"context"
	"database/sql"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// setLinkState sets the state of a link.
func setLinkState(ctx context.Context, tx *sql.Tx, link record.LinkID, st record.LinkState) error {
	return sqlite.Exec(ctx, tx, `UPDATE link SET state = ?2 WHERE id = ?1`, link, st)
}

// noteAftermath notes in a record's tombstone what came of the record across.
func noteAftermath(ctx context.Context, tx *sql.Tx, num int64, done record.Aftermath) error {
	return sqlite.Exec(ctx, tx, `UPDATE tombstone SET done = ?2 WHERE entry = ?1`, num, done)
}

// forgetGone forgets that a record was gone.
func forgetGone(ctx context.Context, tx *sql.Tx, num int64) error {
	return sqlite.Exec(ctx, tx, `DELETE FROM tombstone WHERE entry = ?1`, num)
}
