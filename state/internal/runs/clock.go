package runs

import (
	"context"
	"database/sql"
	"time"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// Times are compared to say what was before what: a list begun after a change was sent
// proves that the change never arrived, a read begun before our write was answered says
// nothing. A clock that is set back turns the order round, for as long as it takes to
// get there again: for years where a machine woke up in the wrong one.

// setBack brings what a binding noted of times to come to now, in its order as far as
// that counts: first what is open was sent, then all records were seen. Lists of times
// to come can't be brought to now, as what was sent since would seem to be in them: they
// prove nothing any more. What a read by id has overtaken is late, and what is to be read
// waits, for a day at most: nobody knows how much of that time was over.
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
