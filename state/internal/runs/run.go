package runs

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"nightporter/state/internal/digests"
	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// Run returns the run of that number, false if there is none.
func (s *Store) Run(ctx context.Context, id int64) (record.Run, bool, error) {
	return sqlite.Find(ctx, s.db, "read run", ScanRun, `SELECT id, binding, started, ended, dry, outcome, error, counts, config, undoes
		FROM run WHERE id = ?1`, id)
}

// BreakQuery ends the run that an earlier process left without an end. Only the newest run can be without one,
// because each run ends the one before. To look through all runs would cost more with every run.
const BreakQuery = `UPDATE run SET outcome = ?2, ended = ?3 WHERE ended IS NULL
	AND id = (SELECT max(id) FROM run WHERE binding = ?1)`

// Begin starts a run of a registered binding and takes the binding over: whoever held a lease of it can't write any
// more. A run that its process left without an end is marked record.Broken. A process that lost the state file to
// another one begins no run. If the clock was set back since, what was noted of times to come is moved to now, and
// lists of times to come prove nothing any more.
func (s *Store) Begin(ctx context.Context, b record.Binding, dry bool, now time.Time) (record.Lease, error) {
	l := record.Lease{Binding: b}
	if err := s.db.Sound(); err != nil {
		return l, err
	}
	err := s.db.AsHolder(ctx, "begin run", func(ctx context.Context, tx *sql.Tx) error {
		err := sqlite.Exec(ctx, tx, BreakQuery, b, record.Broken, sqlite.Millis(now))
		if err != nil {
			return err
		}
		if err := setBack(ctx, tx, b, now); err != nil {
			return err
		}
		err = tx.QueryRowContext(ctx, `UPDATE binding SET epoch = epoch + 1 WHERE binding = ?1 RETURNING epoch`, b).Scan(&l.Epoch)
		if sqlite.IsNone(err) {
			return sqlite.Unknown("job %s", b)
		}
		if err != nil {
			return err
		}
		return tx.QueryRowContext(ctx, `INSERT INTO run (binding, started, dry, outcome, config)
			VALUES (?1, ?2, ?3, ?4, (SELECT coalesce(max(id), 0) FROM config)) RETURNING id`,
			b, sqlite.Millis(now), sqlite.Flag(dry), record.Running).Scan(&l.Run)
	})
	if err == nil {
		err = s.db.WriteGeneration(sqlite.GenerationOf(l.Run, false))
	}
	return l, err
}

// End ends the lease's run.
func (s *Store) End(ctx context.Context, l record.Lease, outcome record.Outcome, errText string, c record.Counts, now time.Time) error {
	err := s.db.LeaseReserved(ctx, l, "end run", func(ctx context.Context, tx *sql.Tx) error {
		counts := "{}"
		if c != nil {
			var err error
			if counts, err = sqlite.Encode(c); err != nil {
				return err
			}
		}
		return sqlite.One(ctx, tx, sqlite.Unknown("run %d", l.Run),
			`UPDATE run SET outcome = ?2, error = ?3, counts = ?4, ended = ?5 WHERE id = ?1 AND ended IS NULL`,
			l.Run, outcome, errText, counts, sqlite.Millis(now))
	})
	if err == nil {
		err = s.db.NoteEnd(ctx, l.Run)
	}
	if err != nil || !s.db.SealOf(l.Binding).On {
		return err
	}
	return digests.NewStore(s.db).Sweep(ctx, l.Binding)
}

// Runs returns the n newest runs of a binding, newest first. If b is empty, they are of all bindings.
func (s *Store) Runs(ctx context.Context, b record.Binding, n int) ([]record.Run, error) {
	return sqlite.List(ctx, s.db, "read runs", ScanRun, `SELECT `+RunColumns+` FROM run WHERE ?1 = '' OR binding = ?1 ORDER BY id DESC LIMIT ?2 + 0`, b, n)
}

// RunColumns are the columns of a run, as ScanRun reads them.
const RunColumns = `id, binding, started, ended, dry, outcome, error, counts, config, undoes`

// ScanRun reads a row of RunColumns.
func ScanRun(rows *sql.Rows) (r record.Run, err error) {
	var counts string
	if err := rows.Scan(&r.ID, &r.Binding, sqlite.AsTime(&r.Started), sqlite.AsTime(&r.Ended), &r.Dry, &r.Outcome, &r.Error, &counts, &r.Config, &r.Undoes); err != nil {
		return r, err
	}
	return r, sqlite.Garbled(fmt.Sprintf("run %d", r.ID), sqlite.Decode(counts, &r.Counts))
}

// Undoes notes that the lease's run takes back what another run of its binding did.
func (s *Store) Undoes(ctx context.Context, l record.Lease, run int64) error {
	return s.db.Lease(ctx, l, "note which run is undone", func(ctx context.Context, tx *sql.Tx) error {
		return sqlite.One(ctx, tx, sqlite.Unknown("run %d", l.Run), `UPDATE run SET undoes = ?2 WHERE id = ?1 AND binding = ?3
			AND EXISTS (SELECT 1 FROM run r WHERE r.id = ?2 AND r.binding = ?3)`, l.Run, run, l.Binding)
	})
}
