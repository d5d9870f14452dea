package sqlite

import (
	"context"
	"database/sql/driver"
	"fmt"
	"net/url"

	sqlite3 "github.com/mattn/go-sqlite3"
)

// applicationID marks a file as ours: "NPor".
const applicationID = 0x4e506f72

const (
	cacheKiB       = 2048
	busyTimeoutMS  = 5000
	stmtCache      = 256
	walLimitBytes  = 64 << 20
	fullSync       = 2 // PRAGMA synchronous: a commit is on the disk when it returns
	normalSync     = 1 // a commit is on the disk with the next one that is full
	tempInMemory   = 2 // PRAGMA temp_store
	journalInFiles = "wal"
)

// Connector opens connections of one kind. It needs no driver name registered for the whole process.
type Connector struct {
	DSN      string
	ReadOnly bool
	image    []byte // what a database in memory begins with
	disk     *RAMDisk
}

// Connect opens one connection.
func (c Connector) Connect(context.Context) (driver.Conn, error) {
	if c.disk != nil {
		return c.disk.lend()
	}
	d := sqlite3.SQLiteDriver{ConnectHook: func(conn *sqlite3.SQLiteConn) error {
		set := fmt.Sprintf(`PRAGMA temp_store = %d;`, tempInMemory)
		if !c.ReadOnly {
			set += fmt.Sprintf(`PRAGMA journal_size_limit = %d;`, walLimitBytes)
		}
		if c.image != nil {
			if err := copyImage(conn, c.image); err != nil {
				return fmt.Errorf("read image: %w", err)
			}
		}
		_, err := conn.Exec(set, nil)
		return err
	}}
	return d.Open(c.DSN)
}

// Driver is SQLite's.
func (Connector) Driver() driver.Driver { return &sqlite3.SQLiteDriver{} }

// DSN builds a data source name. The prefix file: makes SQLite read the parameters
// after the question mark; a path's own special characters are escaped.
func DSN(path, params string) string {
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + params
}

func writerDSN(path string, readOnly bool) string {
	common := fmt.Sprintf("_busy_timeout=%d&_foreign_keys=1&_txlock=immediate&_cache_size=-%d&_stmt_cache_size=%d",
		busyTimeoutMS, cacheKiB, stmtCache)
	switch {
	case path == Memory:
		return "file::memory:?" + common
	case readOnly:
		return DSN(path, "mode=ro&_query_only=1&_busy_timeout=5000")
	}
	return DSN(path, "_journal_mode=WAL&_synchronous=FULL&"+common)
}

func readerDSN(path string) string {
	return DSN(path, fmt.Sprintf("mode=ro&_query_only=1&_busy_timeout=%d&_foreign_keys=1&_cache_size=-%d&_stmt_cache_size=%d",
		busyTimeoutMS, cacheKiB, stmtCache))
}

// CopyDSN is the data source name for a state file that is opened to be copied or looked at.
func CopyDSN(path string) string {
	return DSN(path, fmt.Sprintf("mode=ro&_busy_timeout=%d", busyTimeoutMS))
}

func rollBackDSN(path string) string {
	return DSN(path, fmt.Sprintf("mode=rw&_busy_timeout=%d", busyTimeoutMS))
}

// verifyPragmas reads back what the data source name asked for: the driver ignores
// parameters that it does not know.
func (s *DB) verifyPragmas(ctx context.Context) error {
	want := []struct{ name, value string }{
		{"journal_mode", journalInFiles},
		{"synchronous", fmt.Sprint(fullSync)},
		{"foreign_keys", "1"},
		{"busy_timeout", fmt.Sprint(busyTimeoutMS)},
		{"cache_size", fmt.Sprint(-cacheKiB)},
	}
	if s.Path == Memory {
		want = want[2:]
	}
	for _, w := range want {
		var got string
		if err := s.Writer.QueryRowContext(ctx, `PRAGMA `+w.name).Scan(&got); err != nil {
			return fmt.Errorf("read pragma %s: %w", w.name, err)
		}
		if got != w.value {
			return fmt.Errorf("pragma %s is %s, not %s: %w", w.name, got, w.value, ErrDriver)
		}
	}
	return nil
}

// LimitGrowth keeps the file from growing by more than pages from now on. That plays a disk with just so much room
// left beside the reserve. It lasts as long as the Store is open.
func (s *DB) LimitGrowth(ctx context.Context, pages int) error {
	var now int
	if err := s.Writer.QueryRowContext(ctx, `PRAGMA page_count`).Scan(&now); err != nil {
		return s.Explain("read size of state", err)
	}
	s.reserve.Lock()
	defer s.reserve.Unlock()
	s.reserve.grown = max(now+pages, 1)
	_, err := s.Writer.ExecContext(ctx, fmt.Sprintf(`PRAGMA max_page_count = %d`, s.reserve.grown))
	return s.Explain("limit state", err)
}
