package state

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"nightporter/sync/record"
)

// breakQuery ends what an earlier process left. Only the newest run can be unended,
// since each ends the one before: to look through all would cost more with every run.
const breakQuery = `UPDATE run SET outcome = ?2, ended = ?3 WHERE ended IS NULL
	AND id = (SELECT max(id) FROM run WHERE binding = ?1)`

// Begin starts a run of a registered binding and takes the binding over: whoever
// held a lease of it can't write any more. A run that its process left unended is
// marked record.Broken. A process that had the state file and lost it begins none.
// Where the clock was set back since, what was noted of times to come is of now at the
// latest, and lists of times to come prove nothing any more.
func (s *Store) Begin(ctx context.Context, b record.Binding, dry bool, now time.Time) (record.Lease, error) {
	l := record.Lease{Binding: b}
	if err := s.Sound(); err != nil {
		return l, err
	}
	err := s.held(ctx, "begin run", func(ctx context.Context, tx *sql.Tx) error {
		err := exec(ctx, tx, breakQuery, b, record.Broken, millis(now))
		if err != nil {
			return err
		}
		if err := setBack(ctx, tx, b, now); err != nil {
			return err
		}
		err = tx.QueryRowContext(ctx, `UPDATE binding SET epoch = epoch + 1 WHERE binding = ?1 RETURNING epoch`, b).Scan(&l.Epoch)
		if isNone(err) {
			return unknown("job %s", b)
		}
		if err != nil {
			return err
		}
		return tx.QueryRowContext(ctx, `INSERT INTO run (binding, started, dry, outcome, config)
			VALUES (?1, ?2, ?3, ?4, (SELECT coalesce(max(id), 0) FROM config)) RETURNING id`,
			b, millis(now), flag(dry), record.Running).Scan(&l.Run)
	})
	if err == nil {
		err = s.writeGeneration(generationOf(l.Run, false))
	}
	return l, err
}

// End ends the lease's run.
func (s *Store) End(ctx context.Context, l record.Lease, outcome record.Outcome, errText string, c record.Counts, now time.Time) error {
	err := s.keep(ctx, l, "end run", func(ctx context.Context, tx *sql.Tx) error {
		counts := "{}"
		if c != nil {
			var err error
			if counts, err = encode(c); err != nil {
				return err
			}
		}
		return one(ctx, tx, unknown("run %d", l.Run),
			`UPDATE run SET outcome = ?2, error = ?3, counts = ?4, ended = ?5 WHERE id = ?1 AND ended IS NULL`,
			l.Run, outcome, errText, counts, millis(now))
	})
	if err == nil {
		err = s.noteEnd(ctx, l.Run)
	}
	if err != nil || !s.sealOf(l.Binding).on {
		return err
	}
	return s.sweep(ctx, l.Binding)
}

// Runs is the n newest runs of a binding, of all if b is empty, newest first.
func (s *Store) Runs(ctx context.Context, b record.Binding, n int) ([]record.Run, error) {
	runs, err := collect(ctx, s.reader, scanRun, `SELECT `+runColumns+` FROM run WHERE ?1 = '' OR binding = ?1 ORDER BY id DESC LIMIT ?2 + 0`, b, n)
	return runs, s.explain("read runs", err)
}

const runColumns = `id, binding, started, ended, dry, outcome, error, counts, config, undoes`

func scanRun(rows *sql.Rows) (r record.Run, err error) {
	var started, ended sql.NullInt64
	var counts string
	if err := rows.Scan(&r.ID, &r.Binding, &started, &ended, &r.Dry, &r.Outcome, &r.Error, &counts, &r.Config, &r.Undoes); err != nil {
		return r, err
	}
	r.Started, r.Ended = instant(started), instant(ended)
	return r, garbled(fmt.Sprintf("run %d", r.ID), decode(counts, &r.Counts))
}

// Alert keeps something that a person must be told. Its ID is given by the store;
// its binding and run are the lease's.
func (s *Store) Alert(ctx context.Context, l record.Lease, a record.Alert) error {
	return s.lease(ctx, l, "keep alert", func(ctx context.Context, tx *sql.Tx) error {
		return exec(ctx, tx, `INSERT INTO alert (binding, run, entry, kind, text, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)`,
			l.Binding, l.Run, a.Entry, a.Kind, a.Text, millis(a.At))
	})
}

// Alerts is at most n alerts of all bindings since a moment, newest first.
func (s *Store) Alerts(ctx context.Context, since time.Time, n int) ([]record.Alert, error) {
	scan := func(rows *sql.Rows) (a record.Alert, err error) {
		var at sql.NullInt64
		err = rows.Scan(&a.ID, &a.Binding, &a.Run, &a.Entry, &a.Kind, &a.Text, &at)
		a.At = instant(at)
		return a, err
	}
	from := int64(0)
	if !since.IsZero() {
		from = since.UnixMilli()
	}
	alerts, err := collect(ctx, s.reader, scan, `SELECT id, binding, run, entry, kind, text, at
		FROM alert WHERE at >= ?1 ORDER BY at DESC, id DESC LIMIT ?2 + 0`, from, n)
	return alerts, s.explain("read alerts", err)
}
