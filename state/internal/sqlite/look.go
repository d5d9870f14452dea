package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/gofrs/flock"
	sqlite3 "github.com/mattn/go-sqlite3"

	"nightporter/state/internal/disk"
)

// look is what was found out about a state file before it is opened.
type look struct {
	version int64 // of its schema, 0 if it has none
	behind  bool  // its schema must be made, or brought up to date
}

// A process that must make or change the schema waits while another one has the file: for one turn if that one runs
// jobs, and up to migratePatience if that one makes the file.
const (
	migrateTurn     = 3 * time.Second
	migratePatience = 10 * time.Second
)

// takeTurn looks at the file, and takes the lock beside it if the schema must be made or changed. Nobody else may
// do that meanwhile, and a process that puts another file in its place does so before this one is opened. It
// returns nil if there is nothing to do.
func (s *DB) takeTurn(ctx context.Context, opts Options) (*flock.Flock, error) {
	was, err := s.inspect(ctx, opts.ReadOnly)
	if err != nil || !was.behind || opts.ReadOnly || opts.NoCopy {
		return nil, err
	}
	for begun := time.Now(); ; {
		lock, held := disk.Acquire(ctx, s.Path, migrateTurn)
		now, err := s.inspect(ctx, false) // another process may have done it, or put another file there
		switch {
		case err != nil && lock != nil:
			return nil, errors.Join(err, lock.Close())
		case err != nil, held == nil:
			return lock, err
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case !now.behind:
			return nil, nil //nolint:nilnil // it was done meanwhile
		case errors.Is(held, fs.ErrPermission):
			return nil, fmt.Errorf("%w (%w)", ErrReadOnly, held)
		case !errors.Is(held, disk.ErrInUse), now == was && s.runsJobs(now), time.Since(begun) > migratePatience:
			return nil, fmt.Errorf("bring the state file up to date: %w", held)
		}
		was = now
	}
}

// runsJobs reports whether the process that has the file most likely runs jobs on it: the file has a schema
// version, and its lock names a holder. A process that only makes the file is not named there.
func (s *DB) runsJobs(l look) bool {
	return l.version > 0 && disk.ReadHolder(disk.LockName(s.Path)).Term > 0
}

// InPlace reports whether the file that was opened still has its name.
func (s *DB) InPlace() bool {
	now, err := os.Stat(s.Path)
	return err == nil && os.SameFile(s.opened, now)
}

// inspect looks at the file before anything may change it. If there is none it creates one that only
// its owner can read.
func (s *DB) inspect(ctx context.Context, readOnly bool) (look, error) {
	info, err := os.Stat(s.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !readOnly:
		return look{behind: true}, s.create()
	case err != nil:
		return look{}, err
	case info.IsDir():
		return look{}, fmt.Errorf("%s is a folder: %w", s.Path, ErrForeign)
	case info.Size() == 0 && !readOnly:
		return look{behind: true}, nil
	}
	if err := s.RollBack(ctx); err != nil {
		return look{}, err
	}
	db := sql.OpenDB(Connector{DSN: CopyDSN(s.Path), ReadOnly: true})
	defer db.Close()
	var app, tables int64
	// In this order, because a process that makes a file marks it before it makes the first table.
	if err := db.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema`).Scan(&tables); err != nil {
		return look{}, err
	}
	if err := db.QueryRowContext(ctx, `PRAGMA application_id`).Scan(&app); err != nil {
		return look{}, err
	}
	switch {
	case app != applicationID && (tables > 0 || app != 0):
		return look{}, fmt.Errorf("%s: %w", s.Path, ErrForeign)
	case tables == 0 && readOnly:
		return look{}, s.nothing()
	case tables == 0:
		return look{behind: true}, nil
	}
	has, behind, err := s.checkVersion(ctx, db, readOnly)
	return look{version: has, behind: behind}, err
}

// nothing returns the error of a file that holds nothing: there was no run yet, unless a file
// beside it knows of one.
func (s *DB) nothing() error {
	was, err := readGeneration(s.Path)
	if err != nil {
		return err
	}
	if was > 0 || disk.ReadHolder(disk.LockName(s.Path)).Term > 0 {
		return fmt.Errorf("%s holds nothing any more: %w", s.Path, ErrForeign)
	}
	return fmt.Errorf("%s holds nothing yet: %w", s.Path, fs.ErrNotExist)
}

// RollBack undoes what a killed process had half written to a file that has no write-ahead log yet: a new file, or
// a copy that was put in its place. What was committed stays. A connection that only reads finds such a file, but
// may not undo it (https://sqlite.org/rescode.html#readonly_rollback).
func (s *DB) RollBack(ctx context.Context) error {
	err := readOnce(ctx, Connector{DSN: CopyDSN(s.Path), ReadOnly: true})
	if e, ok := errors.AsType[sqlite3.Error](err); !ok || e.ExtendedCode != sqlite3.ErrReadonlyRollback {
		return nil // whatever else is wrong is found by those who read on
	}
	return readOnce(ctx, Connector{DSN: rollBackDSN(s.Path), ReadOnly: true})
}

// readOnce has SQLite look at a file. If the connection may write, SQLite then undoes what was half written.
func readOnce(ctx context.Context, c Connector) error {
	db := sql.OpenDB(c)
	defer db.Close()
	var tables int64
	return db.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema`).Scan(&tables)
}

func (s *DB) create() error {
	f, err := os.OpenFile(s.Path, os.O_CREATE|os.O_RDWR, 0o600)
	switch {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%w (%w)", ErrReadOnly, err)
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("%w (%w)", ErrFull, err)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("make the folder of the state file first, or choose another path: %w", err)
	case err != nil:
		return err
	}
	return f.Close()
}
