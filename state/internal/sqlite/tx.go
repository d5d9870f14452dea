package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"os"

	"nightporter/sync/record"
)

// First returns the first of what a query found, false if it found nothing.
func First[T any](found []T, err error) (v T, ok bool, _ error) {
	if err != nil || len(found) == 0 {
		return v, false, err
	}
	return found[0], true, nil
}

// Write runs do in one immediate transaction that is durable when Write returns, unless ctx is one of Soon. name is
// what Options.Step is told, and what an error begins with.
func (s *DB) Write(ctx context.Context, name string, do func(context.Context, *sql.Tx) error) error {
	if s.step != nil {
		s.step("before " + name)
	}
	if s.Disk != nil {
		fits := do
		do = func(ctx context.Context, tx *sql.Tx) error { return errors.Join(fits(ctx, tx), s.Disk()) }
	}
	if err := s.commit(ctx, do); err != nil {
		return s.Explain(name, err)
	}
	if s.step != nil {
		s.step("after " + name)
	}
	return nil
}

// Together makes one transaction of the writes that do makes with the context it is given: all of them are durable
// when Together returns, or none is. If one write fails they all fail, whatever do makes of the error. do must not
// read by other methods: they would not see what was written.
func (s *DB) Together(ctx context.Context, do func(context.Context) error) error {
	return s.commit(ctx, func(ctx context.Context, tx *sql.Tx) error {
		t := &together{store: s, tx: tx}
		return errors.Join(do(context.WithValue(ctx, togetherKey{}, t)), t.failed)
	})
}

// together is the transaction that all writes with one context share.
type together struct {
	store  *DB
	tx     *sql.Tx
	failed error
}

type togetherKey struct{}

// commit runs do in a transaction, that of Together if there is one. It waits for the writer as long as ctx allows.
// From then on do's own context can't be cancelled: a transaction is short, and an interrupt would hit whatever
// runs on the connection.
func (s *DB) commit(ctx context.Context, do func(context.Context, *sql.Tx) error) error {
	if t, ok := ctx.Value(togetherKey{}).(*together); ok && t.store == s {
		if t.failed == nil {
			t.failed = do(ctx, t.tx)
		}
		return t.failed
	}
	conn, err := s.Writer.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	ctx = context.WithoutCancel(ctx)
	if ctx.Value(soonKey{}) != nil && s.Path != Memory {
		return s.commitSoon(ctx, conn, do)
	}
	if err := s.commitOn(ctx, conn, do); err != nil || s.step == nil {
		return err
	}
	s.durable.Store(sizeOf(s.Path + "-wal"))
	return nil
}

func (s *DB) commitOn(ctx context.Context, conn *sql.Conn, do func(context.Context, *sql.Tx) error) error {
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := do(ctx, tx); err != nil {
		return err
	}
	defer s.Commits.Add(1) // what was read ahead may be older than this commit
	return tx.Commit()
}

// DurableLog returns how many bytes of the write-ahead log a power cut can't take back. It is known only if
// Options.Step is set.
func (s *DB) DurableLog() int64 { return s.durable.Load() }

func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

type soonKey struct{}

// Soon makes a context for a transaction that need not be durable when it is committed. It is as durable as the
// next transaction that is: the log is written in order. A power cut may take it back. The end of the process does
// not.
func Soon(ctx context.Context) context.Context { return context.WithValue(ctx, soonKey{}, true) }

// durability sets how durable the transactions of the writer's connection are.
func durability(ctx context.Context, conn *sql.Conn, level int) error {
	_, err := conn.ExecContext(ctx, fmt.Sprintf(`PRAGMA synchronous = %d`, level))
	return err
}

// commitSoon is commit for a context of Soon.
func (s *DB) commitSoon(ctx context.Context, conn *sql.Conn, do func(context.Context, *sql.Tx) error) error {
	if err := durability(ctx, conn, normalSync); err != nil {
		return err
	}
	err := s.commitOn(ctx, conn, do)
	if back := durability(ctx, conn, fullSync); back != nil { // a new connection is fully durable
		return errors.Join(err, back, conn.Raw(func(any) error { return driver.ErrBadConn }))
	}
	return err
}

// Lease runs do in one transaction, after checking that l still holds its binding.
func (s *DB) Lease(ctx context.Context, l record.Lease, name string, do func(context.Context, *sql.Tx) error) error {
	return s.Write(ctx, name, func(ctx context.Context, tx *sql.Tx) error {
		if err := s.CheckLease(ctx, tx, l); err != nil {
			return err
		}
		return do(WithSeal(ctx, s.SealOf(l.Binding)), tx)
	})
}

// Querier is what a *sql.DB and a *sql.Tx have in common, so that a read can be
// part of a transaction. A method in a transaction must never ask the pool: the
// writer has one connection and would wait for itself.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Collect runs a query and reads each row with scan.
func Collect[T any](ctx context.Context, q Querier, scan func(*sql.Rows) (T, error), query string, args ...any) ([]T, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []T
	for rows.Next() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, rows.Err()
}

// List reads all rows of a query outside of a transaction. An error begins with doing.
func List[T any](ctx context.Context, s *DB, doing string, scan func(*sql.Rows) (T, error), query string, args ...any) ([]T, error) {
	found, err := Collect(ctx, s.Reader, scan, query, args...)
	return found, s.Explain(doing, err)
}

// Find reads the first row of a query outside of a transaction; false if there is none.
func Find[T any](ctx context.Context, s *DB, doing string, scan func(*sql.Rows) (T, error), query string, args ...any) (T, bool, error) {
	v, ok, err := First(Collect(ctx, s.Reader, scan, query, args...))
	return v, ok, s.Explain(doing, err)
}

// Number reads one column of one row.
func Number(rows *sql.Rows) (n int64, err error) {
	err = rows.Scan(&n)
	return n, err
}

// Exec runs a statement.
func Exec(ctx context.Context, tx *sql.Tx, query string, args ...any) error {
	_, err := tx.ExecContext(ctx, query, args...)
	return err
}

// One runs a statement that must change exactly one row. If it changes none, it returns the error none.
func One(ctx context.Context, tx *sql.Tx, none error, query string, args ...any) error {
	res, err := tx.ExecContext(ctx, query, args...)
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	if err == nil && n == 0 {
		return none
	}
	return err
}
