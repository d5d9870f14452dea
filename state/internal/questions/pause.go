package questions

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

const pauseColumns = `scope, name, until, why, who, since`

func scanPause(rows *sql.Rows) (p record.Pause, err error) {
	err = rows.Scan(&p.Scope, &p.Name, sqlite.AsTime(&p.Until), &p.Why, &p.By, sqlite.AsTime(&p.Since))
	return p, err
}

// Pause stops writes to what p names from the moment it returns. A pause of the same
// scope and name is replaced.
func (s *Store) Pause(ctx context.Context, p record.Pause) error {
	switch p.Scope {
	case record.PauseAll:
		p.Name = ""
	case record.PauseJob, record.PauseSystem:
		if p.Name == "" {
			return fmt.Errorf("pause a %s: it has no name", p.Scope)
		}
	default:
		return fmt.Errorf("pause %q: it is none of all, job and system", p.Scope)
	}
	return s.db.Write(ctx, "pause", func(ctx context.Context, tx *sql.Tx) error {
		return sqlite.Exec(ctx, tx, `INSERT INTO pause (scope, name, until, why, who, since) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
			ON CONFLICT (scope, name) DO UPDATE SET until = excluded.until, why = excluded.why, who = excluded.who,
			since = excluded.since`, p.Scope, p.Name, sqlite.Millis(p.Until), p.Why, p.By, p.Since.UnixMilli())
	})
}

// Resume ends the pause of a scope and name, or all pauses if the scope is empty, and returns those that it ended.
func (s *Store) Resume(ctx context.Context, scope record.PauseScope, name string) ([]record.Pause, error) {
	var ended []record.Pause
	err := s.db.Write(ctx, "resume", func(ctx context.Context, tx *sql.Tx) (err error) {
		ended, err = sqlite.Collect(ctx, tx, scanPause, `DELETE FROM pause WHERE ?1 = '' OR (scope = ?1 AND name = ?2)
			RETURNING `+pauseColumns, scope, name)
		return err
	})
	return ended, err
}

// Paused returns the pauses that hold at a moment. It reads a table of a few rows, so it can be asked before each
// write.
func (s *Store) Paused(ctx context.Context, now time.Time) ([]record.Pause, error) {
	return sqlite.List(ctx, s.db, "read pauses", scanPause, `SELECT `+pauseColumns+` FROM pause
		WHERE until IS NULL OR until > ?1 ORDER BY scope, name`, now.UnixMilli())
}

// Resumed forgets the pauses that have run out, and returns them, each once, so that people can be told. If there
// are none, it writes nothing.
func (s *Store) Resumed(ctx context.Context, now time.Time) ([]record.Pause, error) {
	const over = `FROM pause WHERE until <= ?1`
	var some bool
	err := s.db.Reader.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 `+over+`)`, now.UnixMilli()).Scan(&some)
	if err != nil || !some {
		return nil, s.db.Explain("read pauses", err)
	}
	var ended []record.Pause
	err = s.db.AsHolder(ctx, "resume", func(ctx context.Context, tx *sql.Tx) (err error) {
		ended, err = sqlite.Collect(ctx, tx, scanPause, `DELETE `+over+` RETURNING `+pauseColumns, now.UnixMilli())
		return err
	})
	return ended, err
}
