package journal

import (
	"context"
	"database/sql"
	"time"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// Landed returns the newest n changes on a place that were settled at the time since or later, newest first. Where
// values are kept as digests, those of runs that have ended are digests.
func (s *Store) Landed(ctx context.Context, p record.Place, since time.Time, n int) ([]record.Landed, error) {
	return sqlite.List(ctx, s.db, "read what was settled", scanLanded, `SELECT i.id, i.link, i.change, i.receipt, i.ended_at FROM intent i
		WHERE i.ended_at >= ?3 AND i.binding = ?1 AND i.side = ?2
		AND i.state = `+sqlite.IntentSettled+` ORDER BY i.ended_at DESC, i.id DESC LIMIT ?4 + 0`, p.Binding, p.Side, since.UnixMilli(), n)
}

func scanLanded(rows *sql.Rows) (l record.Landed, err error) {
	_, l, err = ReadLanded(rows)
	return l, err
}

// ReadLanded reads a settled change and its id, and then the columns for extra.
func ReadLanded(rows *sql.Rows, extra ...any) (id string, l record.Landed, err error) {
	var c Change
	var link, ended sql.NullInt64
	var what string
	var answer sql.NullString
	if err := rows.Scan(append([]any{&c.ID, &link, &what, &answer, &ended}, extra...)...); err != nil {
		return "", l, err
	}
	if err := c.readChange(what); err != nil {
		return "", l, err
	}
	l = record.Landed{
		Ref: c.Change.Ref, Link: record.LinkID(link.Int64), Op: c.Change.Op, Before: c.Change.Before, After: c.Change.Fields,
		At: sqlite.Instant(ended), Stamp: c.Change.Stamp,
	}
	if answer.Valid {
		err = c.readReceipt(answer.String)
	}
	if c.Receipt != nil {
		l.Ref, l.Version, l.Changed = c.Receipt.Ref, c.Receipt.Version, c.Receipt.Changed
	}
	return c.ID, l, err
}
