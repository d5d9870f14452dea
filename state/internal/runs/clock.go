package runs

import (
	"context"
	"database/sql"
	"time"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// Times are compared to say what was before what. A list that was begun after a change was sent proves that the
// change never arrived. A read that was begun before our write was answered says nothing. If a clock is set back
// the order is wrong until the clock is where it was: for years, if the machine had started in a wrong year.

// setBack moves what a binding noted of times to come to now. The order is kept as far as it counts: first
// the open changes were sent, then all records were seen. Lists of times to come can't be moved to now,
// because what was sent since would seem to be in them: they prove nothing any more. The times up to which a
// late read is not believed, and when a record is read again, are a day from now at most: nobody knows how
// much of that time is over.
func setBack(ctx context.Context, tx *sql.Tx, b record.Binding, now time.Time) error {
	var ahead bool
	if err := tx.QueryRowContext(ctx, aheadQuery, b, sqlite.Millis(now)).Scan(&ahead); err != nil || !ahead {
		return err
	}
	for _, query := range []string{
		`UPDATE scan SET complete = 0, flaws = json_insert(flaws, '$[#]', 'the clock was set back after it')
			WHERE binding = ?1 AND started > ?2 AND complete = 1`,
		`UPDATE intent SET made = min(made, ?2 - 1), sent_at = min(sent_at, ?2 - 1)
			WHERE binding = ?1 AND state IN ` + sqlite.IntentsOpen + ` AND (made >= ?2 OR sent_at >= ?2)`,
		`UPDATE entry SET settle_until = settle_until - acked + ?2 WHERE binding = ?1 AND acked > ?2`,
		`UPDATE entry SET settle_until = min(settle_until, ?2 + 86400000), recheck = min(recheck, ?2 + 86400000)
			WHERE binding = ?1 AND (settle_until > ?2 + 86400000 OR recheck > ?2 + 86400000)`,
		`UPDATE entry SET since = min(since, ?2), acked = min(acked, ?2) WHERE binding = ?1 AND (since > ?2 OR acked > ?2)`,
		`UPDATE entry SET seen = json_set(seen, '$.a', ?2) WHERE binding = ?1 AND CASE WHEN json_valid(seen) THEN seen ->> '$.a' END > ?2`,
	} {
		if err := sqlite.Exec(ctx, tx, query, b, sqlite.Millis(now)); err != nil {
			return err
		}
	}
	return nil
}

// aheadQuery asks whether the newest run, or the newest list of either side, was begun
// later than now.
const aheadQuery = `SELECT
	coalesce((SELECT started FROM run WHERE binding = ?1 ORDER BY id DESC LIMIT 1), 0) > ?2
	OR coalesce((SELECT started FROM scan WHERE binding = ?1 AND side = 0 ORDER BY id DESC LIMIT 1), 0) > ?2
	OR coalesce((SELECT started FROM scan WHERE binding = ?1 AND side = 1 ORDER BY id DESC LIMIT 1), 0) > ?2`
