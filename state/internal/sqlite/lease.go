package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"nightporter/sync/record"
)

// CheckLease fails with ErrFenced unless l still holds. A lease ends when another run of its binding begins, and
// when another process takes over the file.
func (s *DB) CheckLease(ctx context.Context, q Querier, l record.Lease) error {
	var epoch int64
	err := q.QueryRowContext(ctx, `SELECT epoch FROM binding WHERE binding = ?1`, l.Binding).Scan(&epoch)
	if err != nil && !IsNone(err) {
		return err
	}
	if err != nil || epoch != l.Epoch || l.Epoch == 0 {
		return fmt.Errorf("job %s: %w", l.Binding, ErrFenced)
	}
	return nil
}

// AsHolder runs do in one transaction, after checking that no other process has taken over the state file. A
// process that never took the file passes.
func (s *DB) AsHolder(ctx context.Context, name string, do func(context.Context, *sql.Tx) error) error {
	return s.Write(ctx, name, func(ctx context.Context, tx *sql.Tx) error {
		if err := s.checkTerm(ctx, tx); err != nil {
			return err
		}
		return do(ctx, tx)
	})
}

func (s *DB) checkTerm(ctx context.Context, tx *sql.Tx) error {
	mine := s.Term.Load()
	if mine == 0 {
		return nil
	}
	var term int64
	if err := tx.QueryRowContext(ctx, `SELECT term FROM holder`).Scan(&term); err != nil {
		return err
	}
	if term != mine {
		return ErrFenced
	}
	return nil
}
