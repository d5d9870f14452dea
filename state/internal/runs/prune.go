package runs

import (
	"context"
	"database/sql"
	"time"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// keptScans is how many full scans of a place Prune leaves, however old they are.
const keptScans = 2

// pruneAtOnce is how many rows one call of Prune deletes at most. That takes some tens of milliseconds, in which
// nothing else is written.
const pruneAtOnce = 5000

// quietLook is how far back Prune looks for uneventful runs. If a service stood still for longer, the older ones
// are kept as long as all other runs.
const quietLook = 30 * 24 * time.Hour

// Prune deletes from the journal what ended before a moment (before): changes, closed conflicts, alerts, requests,
// and runs of which no change is left. Things that nobody will ask about go sooner, if they ended before quiet:
// runs that ended well, changed nothing and told nobody; tombstones that have expired; events that were sent (dead
// ones a month later); and scans, except for the last two full ones of a place. What is open stays. It returns how
// many rows it deleted, and whether it stopped because they were enough for one call: then it is to be called
// again, after others had their turn.
func (s *Store) Prune(ctx context.Context, before, quiet time.Time) (n int, more bool, err error) {
	err = s.db.Write(ctx, "prune", func(ctx context.Context, tx *sql.Tx) error {
		n, more = 0, false
		for _, old := range Pruned() {
			res, err := tx.ExecContext(ctx, old, before.UnixMilli(), keptScans, pruneAtOnce-n, quiet.UnixMilli(), quiet.Add(-quietLook).UnixMilli())
			if err != nil {
				return err
			}
			deleted, err := res.RowsAffected()
			if err != nil {
				return err
			}
			if n += int(deleted); n >= pruneAtOnce {
				more = true
				return nil
			}
		}
		return nil
	})
	return n, more, err
}

// Pruned returns the statements of Prune. They find rows by when they ended, oldest first, and delete at most ?3 at
// once: what ended before ?1, and quiet things that ended before ?4, dead events before ?5. Quiet runs that ended
// before ?5 are left to ?1.
func Pruned() []string {
	return []string{
		`DELETE FROM intent WHERE rowid IN (SELECT rowid FROM intent WHERE ended_at < ?1
		AND state IN ` + sqlite.IntentsEnded + ` ORDER BY ended_at LIMIT ?3 + 0)`,
		`DELETE FROM question WHERE id IN (SELECT id FROM question WHERE closed < ?1 ORDER BY closed LIMIT ?3 + 0)`,
		`DELETE FROM tombstone WHERE entry IN (SELECT entry FROM tombstone WHERE expires < ?4 ORDER BY expires LIMIT ?3 + 0)`,
		`DELETE FROM alert WHERE id IN (SELECT id FROM alert WHERE at < ?1 ORDER BY at LIMIT ?3 + 0)`,
		`DELETE FROM event WHERE num IN (SELECT num FROM event WHERE ended < ?4 AND (state = 'sent' OR ended < ?5) ORDER BY ended LIMIT ?3 + 0)`,
		`DELETE FROM request WHERE id IN (SELECT id FROM request WHERE ended < ?1 ORDER BY ended LIMIT ?3 + 0)`,
		`DELETE FROM scan WHERE id IN (SELECT o.id FROM scan o WHERE o.ended < ?4 AND (o.full = 0 OR o.abandoned = 1
		OR ?2 <= (SELECT count(*) FROM (SELECT 1 FROM scan n WHERE n.binding = o.binding AND n.side = o.side AND n.id > o.id
		AND n.full = 1 AND n.abandoned = 0 AND n.ended IS NOT NULL LIMIT ?2 + 0))) ORDER BY o.ended LIMIT ?3 + 0)`,
		`DELETE FROM run WHERE id IN (SELECT id FROM run WHERE ended < ?1
		AND NOT EXISTS (SELECT 1 FROM intent i WHERE i.run = run.id) ORDER BY ended LIMIT ?3 + 0)`,
		`DELETE FROM run WHERE id IN (SELECT id FROM run WHERE ended < ?4 AND ended >= ?5
		AND outcome IN ('` + string(record.Done) + `', '` + string(record.Waits) + `')
		AND NOT EXISTS (SELECT 1 FROM intent i WHERE i.run = run.id) AND NOT EXISTS (SELECT 1 FROM alert a
		WHERE a.at BETWEEN run.started - 1000 AND run.ended + 1000 AND a.run = run.id) ORDER BY ended LIMIT ?3 + 0)`,
	}
}
