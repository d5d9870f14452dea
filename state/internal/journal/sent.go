package journal

import (
	"context"
	"database/sql"
	"time"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// SentSince returns when changes were sent to a place at the time since or later, the earliest first. It counts
// changes that were applied, or may have been, but no deletes, and not the change with the id except.
func (s *Store) SentSince(ctx context.Context, p record.Place, since time.Time, except string) ([]time.Time, error) {
	scan := func(rows *sql.Rows) (time.Time, error) {
		var at sql.NullInt64
		err := rows.Scan(&at)
		return sqlite.Instant(at), err
	}
	const sent = `i.binding = ?1 AND i.side = ?2 AND i.sent_at >= ?3 AND i.id <> ?4 AND CASE WHEN json_valid(i.change) THEN i.change ->> '$.op' ELSE '' END <> 'delete'`
	return sqlite.List(ctx, s.db, "read when changes were sent", scan, `SELECT i.sent_at FROM intent i
		WHERE i.ended_at >= ?3 AND i.state = `+sqlite.IntentSettled+` AND `+sent+`
		UNION ALL SELECT i.sent_at FROM intent i
		WHERE i.state IN `+sqlite.IntentsOpen+` AND `+sent+`
		ORDER BY 1`, p.Binding, p.Side, since.UnixMilli(), except)
}
