package state

import (
	"context"
	"database/sql"
	"time"

	"nightporter/sync/record"
)

// Landed is the newest n changes on a place that were settled since a moment, newest
// first. Where values are kept as digests it gives none of them.
func (s *Store) Landed(ctx context.Context, p record.Place, since time.Time, n int) ([]record.Landed, error) {
	found, err := collect(ctx, s.reader, func(rows *sql.Rows) (record.Landed, error) {
		c, err := scanChange(rows)
		l := record.Landed{
			Ref: c.Change.Ref, Link: c.Link, Op: c.Change.Op, Before: c.Change.Before, After: c.Change.Fields, At: c.EndedAt, Stamp: c.Change.Stamp,
		}
		if c.Receipt != nil {
			l.Ref, l.Version, l.Changed = c.Receipt.Ref, c.Receipt.Version, c.Receipt.Changed
		}
		return l, err
	}, `SELECT `+intentColumns+` FROM intent i WHERE i.ended_at >= ?3 AND i.binding = ?1 AND i.side = ?2
		AND i.state = 'settled' ORDER BY i.ended_at DESC, i.id DESC LIMIT ?4`, p.Binding, p.Side, since.UnixMilli(), n)
	return found, s.explain("read what was settled", err)
}

// Stamped is the last create on a place that gave, or was to give, a record a mark.
func (s *Store) Stamped(ctx context.Context, p record.Place, mark string) (record.Intent, bool, error) {
	i, ok, err := first(collect(ctx, s.reader, scanIntent, `SELECT `+intentColumns+` FROM intent i
		WHERE i.binding = ?1 AND i.side = ?2 AND i.change ->> '$.stamp' = ?3 ORDER BY i.made DESC, i.id DESC LIMIT 1`,
		p.Binding, p.Side, mark))
	return i, ok, s.explain("read which create gave a mark", err)
}
