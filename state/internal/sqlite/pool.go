package sqlite

import (
	"context"
	"database/sql"
)

// pool is the connections that only read, outside of a transaction. A read is short: it can be
// cancelled before it begins and between two rows, not within. To watch for more costs two
// goroutines a read, and a change makes a dozen reads.
type pool struct{ *sql.DB }

// QueryContext reads rows.
func (p pool) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return p.DB.QueryContext(begun(ctx), query, args...)
}

// QueryRowContext reads one row.
func (p pool) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	return p.DB.QueryRowContext(begun(ctx), query, args...)
}

// begun is the context of a read that begins: one that is over fails it, and nothing does later.
func begun(ctx context.Context) context.Context {
	if ctx.Err() != nil {
		return ctx
	}
	return context.WithoutCancel(ctx)
}
