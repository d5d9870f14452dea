package questions

import (
	"context"
	"database/sql"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// notSent returns a record.SentError if a change was sent that rests on the answer to a question about a record. A
// change that was cancelled or refused was not made, and does not count.
func notSent(ctx context.Context, tx *sql.Tx, question int64) error {
	run, sent, err := sqlite.First(sqlite.Collect(ctx, tx, func(rows *sql.Rows) (run int64, err error) { return run, rows.Scan(&run) },
		`SELECT i.run FROM question q JOIN intent i ON iif(q.link <> 0, i.link = q.link, i.source = q.entry)
			AND i.binding = q.binding AND i.sent_at >= q.chosen AND i.state IN `+sqlite.IntentsApplied+`
		WHERE q.id = ?1 AND q.choice <> '' AND (q.link = 0 OR q.field = ?2 OR EXISTS (SELECT 1
			FROM json_each(CASE WHEN json_valid(i.fields) THEN i.fields ELSE '[]' END) f WHERE f.value ->> 'field' = q.field))
		ORDER BY i.sent_at DESC LIMIT 1`, question, record.WholeRecord))
	if err == nil && sent {
		return record.SentError{Run: run}
	}
	return err
}
