package sqlite

import (
	"context"
	"database/sql"
)

// pool has the connections that only read, outside of a transaction. A read is short: it can be cancelled before it
// begins and between two rows, but not within. To watch for a cancel within would cost two goroutines for each
// read, and a change makes a dozen reads.
type pool struct{ *sql.DB }

// QueryContext reads rows.
func (p pool) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return p.DB.QueryContext(begun(ctx), query, args...)
}

// QueryRowContext reads one row.
func (p pool) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	return p.DB.QueryRowContext(begun(ctx), query, args...)
}

// begun returns the context of a read that begins. If ctx is over already the read fails. After that
// nothing cancels it.
func begun(ctx context.Context) context.Context {
	if ctx.Err() != nil {
		return ctx
	}
	return context.WithoutCancel(ctx)
}
