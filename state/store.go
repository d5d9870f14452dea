package state

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v4"
	"github.com/gofrs/flock"
	sqlite3 "github.com/mattn/go-sqlite3"

	"nightporter/sync/record"
)

// Memory as a path opens a private database that lives as long as the Store.
const Memory = ":memory:"

// lowestSQLite is the first version without the WAL-reset corruption bug.
const lowestSQLite = 3051003

// maxReaders bounds the connections that only read.
const maxReaders = 4

// Options change how a state file is opened. The zero value is right for a daemon.
type Options struct {
	SkipCheck bool              // leave out the integrity check
	ReadOnly  bool              // open for reading alone: nothing is created or migrated
	Step      func(name string) // told "before x" and "after x" around each committing transaction
	noCopy    bool              // migrate without a copy: the file is one
	room      roomFunc          // in a folder, roomIn for nil
	Rand      func(n int) int   // a number in [0, n) for Sample; nil: a random one
	Image     []byte            // what a database in memory holds to begin with; Image gives it
	Disk      *RAMDisk          // the database in memory, in place of one that ends with the Store
}

// Store is an open state file. Its methods may be called from several goroutines.
type Store struct {
	path    string
	writer  *sql.DB // one connection
	reader  pool    // the same connection as writer's for a database in memory
	file    *flock.Flock
	opened  os.FileInfo  // the file at path when it was opened for writing
	term    atomic.Int64 // of this process as the file's holder, 0 for none
	step    func(string)
	rand    func(int) int
	seals   atomic.Pointer[map[record.Binding]seal] // of bindings whose values are kept as digests
	room    roomFunc
	disk    func() error // asked before each commit whether there is room for it; nil: there is
	ahead   stretches
	commits atomic.Int64 // since the file was opened
	mirror  mirror

	reserve reserve
	sound   sound
}

// Open opens the state file at path, creates it where there is none and brings it
// to this version's schema. It refuses a file of a newer version (ErrNewer), one
// that is damaged (ErrCorrupt), one that is something else (ErrForeign) and one
// that can't be written (ErrReadOnly); a refused file is left as it was.
func Open(ctx context.Context, path string, opts Options) (*Store, error) {
	if _, n, _ := sqlite3.Version(); n < lowestSQLite {
		return nil, fmt.Errorf("open state: SQLite is older than 3.51.3: %w", ErrDriver)
	}
	s := &Store{path: path, step: opts.Step, rand: opts.Rand, room: opts.room}
	if s.rand == nil {
		s.rand = rand.IntN
	}
	if s.room == nil {
		s.room = roomIn
	}
	if err := s.open(ctx, opts); err != nil {
		return nil, errors.Join(s.explain("open state", err), s.Close())
	}
	return s, nil
}

// OpenMemory opens an empty database in memory: the same code without the disk. Its
// samples are drawn from a fixed seed, so that a simulation can be repeated.
func OpenMemory(ctx context.Context) (*Store, error) {
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a repeatable sequence is what is wanted
	return Open(ctx, Memory, Options{SkipCheck: true, Rand: r.IntN})
}

func (s *Store) open(ctx context.Context, opts Options) error {
	if s.path != Memory {
		turn, err := s.takeTurn(ctx, opts)
		if err != nil {
			return err
		}
		if turn != nil {
			defer turn.Close()
		}
		if s.opened, err = os.Stat(s.path); err != nil {
			return err
		}
	}
	s.writer = sql.OpenDB(connector{dsn: writerDSN(s.path, opts.ReadOnly), readOnly: opts.ReadOnly, image: opts.Image, disk: opts.Disk})
	s.writer.SetMaxOpenConns(1)
	s.writer.SetMaxIdleConns(1)
	s.reader = pool{s.writer}
	if !opts.ReadOnly {
		if err := s.prepare(ctx, opts); err != nil {
			return err
		}
	}
	if s.path != Memory {
		s.reader = pool{sql.OpenDB(connector{dsn: readerDSN(s.path), readOnly: true})}
		s.reader.SetMaxOpenConns(maxReaders)
		s.reader.SetMaxIdleConns(maxReaders)
	}
	return s.reader.PingContext(ctx)
}

// prepare makes the file ready for writing. Beginning a transaction shows at once
// whether it can be: SQLite opens a file that it may only read without complaint.
func (s *Store) prepare(ctx context.Context, opts Options) error {
	if err := s.firstLook(ctx); err != nil {
		return err
	}
	if err := s.commit(ctx, func(context.Context, *sql.Tx) error { return nil }); err != nil {
		return err
	}
	check := s.checkStart
	if opts.noCopy { // a copy has what was noted of the file that it was made of
		check = s.checkBoth
	}
	if !opts.SkipCheck {
		if err := check(ctx); err != nil {
			return err
		}
	}
	return s.migrate(ctx, opts.noCopy)
}

// firstLook opens the first connection, which has a new file keep a write-ahead log. Of
// two processes that do so at once SQLite refuses one without letting it wait.
func (s *Store) firstLook(ctx context.Context) error {
	begun := time.Now()
	return backoff.Retry(func() error {
		err := s.verifyPragmas(ctx)
		if errors.Is(hintFor(err), ErrBusy) && time.Since(begun) < busyTimeoutMS*time.Millisecond {
			return err
		}
		return backoff.Permanent(err)
	}, backoff.WithContext(backoff.NewConstantBackOff(lockRetry), ctx))
}

// At start SQLite is asked whether the file is whole, for which it reads all of it. A file of
// largeFile or more is checked once a day. The indexes are looked at beside, once in
// indexesEvery: a start that skips them leaves them to mayWrite.
const (
	largeFile    = 64 << 20
	checkEvery   = 24 * time.Hour
	indexesEvery = time.Hour
)

const checkedSetting = "checked"

// checkStart checks a file that is opened.
func (s *Store) checkStart(ctx context.Context) error {
	info, err := os.Stat(s.path)
	if err != nil {
		return s.checkBoth(ctx)
	}
	now := time.Now()
	small, age := info.Size() < largeFile, s.checkedSince(ctx, now)
	switch {
	case small && age < indexesEvery:
		return s.check(ctx)
	case !small && age < checkEvery:
		return nil
	}
	if err := s.checkBoth(ctx); err != nil {
		return err
	}
	return s.noteChecked(ctx, now)
}

// noteChecked remembers that the file was found whole. A new one has nowhere to note it.
func (s *Store) noteChecked(ctx context.Context, now time.Time) error {
	return s.commit(ctx, func(ctx context.Context, tx *sql.Tx) error {
		var there bool
		err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'setting')`).Scan(&there)
		if err != nil || !there {
			return err
		}
		return exec(ctx, tx, `INSERT INTO setting (name, value) VALUES (?1, ?2)
			ON CONFLICT (binding, name) DO UPDATE SET value = excluded.value`, checkedSetting, strconv.FormatInt(now.UnixMilli(), 10))
	})
}

// check asks SQLite whether the file is whole; see checkBoth.
func (s *Store) check(ctx context.Context) error {
	var answer string
	if err := s.writer.QueryRowContext(ctx, `PRAGMA quick_check(1)`).Scan(&answer); err != nil {
		return err
	}
	if answer != "ok" {
		return fmt.Errorf("%s: %w (%s)", s.path, ErrCorrupt, answer)
	}
	return nil
}

// checkedSince is how long ago the file was found whole; for ever, where that is not known
// or a clock was set back since.
func (s *Store) checkedSince(ctx context.Context, now time.Time) time.Duration {
	var text string
	err := s.writer.QueryRowContext(ctx, `SELECT value FROM setting WHERE binding = '' AND name = ?1`, checkedSetting).Scan(&text)
	if err != nil {
		return math.MaxInt64
	}
	at, err := strconv.ParseInt(text, 10, 64)
	age := now.Sub(time.UnixMilli(at))
	if err != nil || age < 0 {
		return math.MaxInt64
	}
	return age
}

// Close closes the file and gives up the lock. A Store that is closed twice, or
// that never opened, is no error.
func (s *Store) Close() error {
	var errs []error
	if s.reader.DB != nil && s.reader.DB != s.writer {
		errs = append(errs, s.reader.Close())
	}
	if s.writer != nil {
		errs = append(errs, s.writer.Close())
	}
	if s.file != nil {
		errs = append(errs, s.file.Close())
	}
	s.reader, s.writer, s.file = pool{}, nil, nil
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("close state: %w", err)
	}
	return nil
}

// CopyTo writes a copy of the whole state to file, which must not exist yet. It is
// consistent, and whole even while jobs run.
func (s *Store) CopyTo(ctx context.Context, file string) error {
	doing := "copy state to " + file
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) //nolint:gosec // the path is the user's own
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	db := s.writer
	if s.path != Memory { // beside the writer, and not over a connection that may only query
		db = sql.OpenDB(connector{dsn: copyDSN(s.path), readOnly: true})
		defer db.Close()
	}
	_, err = db.ExecContext(ctx, `VACUUM INTO ?1`, file)
	return s.explain(doing, err)
}
