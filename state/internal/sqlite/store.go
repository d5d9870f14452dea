package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	rand "math/rand/v2"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	backoff "github.com/cenkalti/backoff/v4"
	"github.com/gofrs/flock"
	sqlite3 "github.com/mattn/go-sqlite3"

	"nightporter/state/internal/disk"
	"nightporter/sync/record"
)

// Checkpoint moves what the write-ahead log holds into the file and empties the log. It is for a moment when
// nothing runs: if a reader is in its way, it gives up at once and returns false.
func (s *DB) Checkpoint(ctx context.Context) (bool, error) {
	if s.Path == Memory {
		return true, nil
	}
	conn, err := s.Writer.Conn(ctx)
	if err != nil {
		return false, s.Explain("empty log", err)
	}
	defer conn.Close()
	ctx = context.WithoutCancel(ctx)
	if _, err := conn.ExecContext(ctx, `PRAGMA busy_timeout = 0`); err != nil {
		return false, s.Explain("empty log", err)
	}
	var busy, log, moved int64
	err = conn.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &log, &moved)
	_, reset := conn.ExecContext(ctx, fmt.Sprintf(`PRAGMA busy_timeout = %d`, busyTimeoutMS))
	return busy == 0 && err == nil, s.Explain("empty log", errors.Join(err, reset))
}

// Memory as a path opens a private database that lives as long as the DB.
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
	NoCopy    bool              // migrate without a copy: the file is itself a copy
	Room      roomFunc          // the room that is left in a folder; nil: disk.Room
	Rand      func(n int) int   // a number in [0, n) for Sample; nil: a random one
	Image     []byte            // what a database in memory holds at first; Image gives it
	Disk      *RAMDisk          // a database in memory that is there already, in place of one that ends with the DB
}

// DB is an open state file. Its methods may be called from several goroutines.
type DB struct {
	Path    string
	Writer  *sql.DB // one connection
	Reader  pool    // for a database in memory the same connection as Writer
	File    *flock.Flock
	opened  os.FileInfo  // the file at path when it was opened for writing
	Term    atomic.Int64 // of this process, if it holds the file; 0: it does not
	step    func(string)
	Rand    func(int) int
	Seals   atomic.Pointer[map[record.Binding]Seal] // by binding, if it keeps its values as digests
	RoomIn  roomFunc
	Disk    func() error // asked before each commit whether there is room for it; nil: there is
	Commits atomic.Int64 // how many, since the file was opened
	durable atomic.Int64 // see DurableLog
	mirror  mirror

	reserve reserve
	sound   sound
}

// Open opens the state file at path, creates it where there is none and brings it
// to this version's schema. It refuses a file of a newer version (ErrNewer), one
// that is damaged (ErrCorrupt), one that is something else (ErrForeign) and one
// that can't be written (ErrReadOnly); a refused file is left as it was.
func Open(ctx context.Context, path string, opts Options) (*DB, error) {
	if _, n, _ := sqlite3.Version(); n < lowestSQLite {
		return nil, fmt.Errorf("open state: SQLite is older than 3.51.3: %w", ErrDriver)
	}
	s := &DB{Path: path, step: opts.Step, Rand: opts.Rand, RoomIn: opts.Room}
	if s.Rand == nil {
		s.Rand = rand.IntN
	}
	if s.RoomIn == nil {
		s.RoomIn = disk.Room
	}
	if err := s.open(ctx, opts); err != nil {
		return nil, errors.Join(s.Explain("open state", err), s.Close())
	}
	return s, nil
}

// OpenMemory opens an empty database in memory: the same code without the disk. Its
// samples are drawn from a fixed seed, so that a simulation can be repeated.
func OpenMemory(ctx context.Context) (*DB, error) {
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a repeatable sequence is what is wanted
	return Open(ctx, Memory, Options{SkipCheck: true, Rand: r.IntN})
}

func (s *DB) open(ctx context.Context, opts Options) error {
	if s.Path != Memory {
		turn, err := s.takeTurn(ctx, opts)
		if err != nil {
			return err
		}
		if turn != nil {
			defer turn.Close()
		}
		if s.opened, err = os.Stat(s.Path); err != nil {
			return err
		}
	}
	s.Writer = sql.OpenDB(Connector{DSN: writerDSN(s.Path, opts.ReadOnly), ReadOnly: opts.ReadOnly, image: opts.Image, disk: opts.Disk})
	s.Writer.SetMaxOpenConns(1)
	s.Writer.SetMaxIdleConns(1)
	s.Reader = pool{s.Writer}
	if !opts.ReadOnly {
		if err := s.prepare(ctx, opts); err != nil {
			return err
		}
	}
	if s.Path != Memory {
		s.Reader = pool{sql.OpenDB(Connector{DSN: readerDSN(s.Path), ReadOnly: true})}
		s.Reader.SetMaxOpenConns(maxReaders)
		s.Reader.SetMaxIdleConns(maxReaders)
	}
	return s.Reader.PingContext(ctx)
}

// prepare makes the file ready for writing. It begins a transaction, which shows at once whether the file can be
// written: SQLite opens a file that it may only read without complaint.
func (s *DB) prepare(ctx context.Context, opts Options) error {
	if err := s.firstLook(ctx); err != nil {
		return err
	}
	if err := s.commit(ctx, func(context.Context, *sql.Tx) error { return nil }); err != nil {
		return err
	}
	check := s.checkStart
	if opts.NoCopy { // a copy has the note on when its original was checked
		check = s.checkBoth
	}
	if !opts.SkipCheck {
		if err := check(ctx); err != nil {
			return err
		}
	}
	return s.migrate(ctx, opts.NoCopy)
}

// firstLook opens the first connection, which gives a new file its write-ahead log. If two processes do so at once,
// SQLite refuses one without letting it wait, and that one tries again.
func (s *DB) firstLook(ctx context.Context) error {
	begun := time.Now()
	return backoff.Retry(func() error {
		err := s.verifyPragmas(ctx)
		if errors.Is(hintFor(err), ErrBusy) && time.Since(begun) < busyTimeoutMS*time.Millisecond {
			return err
		}
		return backoff.Permanent(err)
	}, backoff.WithContext(backoff.NewConstantBackOff(disk.LockRetry), ctx))
}

// At start SQLite is asked whether the file is whole, and reads all of it for that. A file of largeFile or more
// is checked once a day. The indexes are looked at as well, once in indexesEvery: a start that skips them
// leaves them to MayWrite.
const (
	largeFile    = 64 << 20
	checkEvery   = 24 * time.Hour
	indexesEvery = time.Hour
)

const checkedSetting = "checked"

// checkStart checks a file that is being opened, if its last check is too long ago.
func (s *DB) checkStart(ctx context.Context) error {
	info, err := os.Stat(s.Path)
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

// noteChecked remembers that the file was found whole. A new file has no table to note it in.
func (s *DB) noteChecked(ctx context.Context, now time.Time) error {
	return s.commit(ctx, func(ctx context.Context, tx *sql.Tx) error {
		var there bool
		err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'setting')`).Scan(&there)
		if err != nil || !there {
			return err
		}
		return PutSetting(ctx, tx, "", checkedSetting, strconv.FormatInt(now.UnixMilli(), 10))
	})
}

// check asks SQLite whether the file is whole; see checkBoth.
func (s *DB) check(ctx context.Context) error {
	var answer string
	if err := s.Writer.QueryRowContext(ctx, `PRAGMA quick_check(1)`).Scan(&answer); err != nil {
		return err
	}
	if answer != "ok" {
		return fmt.Errorf("%s: %w (%s)", s.Path, ErrCorrupt, answer)
	}
	return nil
}

// checkedSince returns how long ago the file was found whole: for ever, if nobody knows or a clock
// was set back since.
func (s *DB) checkedSince(ctx context.Context, now time.Time) time.Duration {
	var text string
	err := s.Writer.QueryRowContext(ctx, `SELECT value FROM setting WHERE binding = '' AND name = ?1`, checkedSetting).Scan(&text)
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
func (s *DB) Close() error {
	var errs []error
	if s.Reader.DB != nil && s.Reader.DB != s.Writer {
		errs = append(errs, s.Reader.Close())
	}
	if s.Writer != nil {
		errs = append(errs, s.Writer.Close())
	}
	if s.File != nil {
		errs = append(errs, s.File.Close())
	}
	s.Reader, s.Writer, s.File = pool{}, nil, nil
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("close state: %w", err)
	}
	return nil
}
