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
	found, err := collect(ctx, s.reader, scanLanded, `SELECT i.id, i.link, i.change, i.receipt, i.ended_at FROM intent i
		WHERE i.ended_at >= ?3 AND i.binding = ?1 AND i.side = ?2
		AND i.state = 'settled' ORDER BY i.ended_at DESC, i.id DESC LIMIT ?4 + 0`, p.Binding, p.Side, since.UnixMilli(), n)
	return found, s.explain("read what was settled", err)
}

func scanLanded(rows *sql.Rows) (l record.Landed, err error) {
	_, l, err = readLanded(rows)
	return l, err
}

// readLanded reads a change that was settled, with its id, and then the columns for extra.
func readLanded(rows *sql.Rows, extra ...any) (id string, l record.Landed, err error) {
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
		At: instant(ended), Stamp: c.Change.Stamp,
	}
	if answer.Valid {
		err = c.readReceipt(answer.String)
	}
	if c.Receipt != nil {
		l.Ref, l.Version, l.Changed = c.Receipt.Ref, c.Receipt.Version, c.Receipt.Changed
	}
	return c.ID, l, err
}

// lastWritten is when our last write to a linked record changed it, by its system's clock;
// zero where the answer did not say.
func lastWritten(ctx context.Context, tx *sql.Tx, r *row) (time.Time, error) {
	at, _, err := first(collect(ctx, tx, func(rows *sql.Rows) (at moment, err error) {
		err = rows.Scan(&at)
		return at, err
	}, `SELECT coalesce(CASE WHEN json_valid(receipt) THEN receipt ->> '$.changed' END, 0) FROM intent WHERE link = ?1 AND side = ?2 AND state = 'settled'
		ORDER BY ended_at DESC, id DESC LIMIT 1`, r.Link, r.Place.Side))
	return at.time(), err
}

// AsSettled reports whether every record of a place is linked, shows what was settled
// with it, and is there.
func (s *Store) AsSettled(ctx context.Context, p record.Place) (bool, error) {
	var other bool
	err := s.reader.QueryRowContext(ctx, `SELECT
		EXISTS (SELECT 1 FROM entry WHERE binding = ?1 AND link IS NOT NULL AND (seen IS NOT NULL OR dirty = 1) AND side = ?2)
		OR EXISTS (SELECT 1 FROM entry WHERE binding = ?1 AND side = ?2 AND link IS NULL)
		OR EXISTS (SELECT 1 FROM entry WHERE binding = ?1 AND side = ?2 AND state <> '')`, p.Binding, p.Side).Scan(&other)
	return err == nil && !other, s.explain("look for what is not as it was settled", err)
}

// ForgetVersions forgets which versions the records of a side of the lease's binding were settled with. Its system was
// put back to an older copy: the versions will come again, for other values.
func (s *Store) ForgetVersions(ctx context.Context, l record.Lease, side record.Side) error {
	return s.lease(ctx, l, "forget versions", func(ctx context.Context, tx *sql.Tx) error {
		return exec(ctx, tx, `UPDATE entry SET base_version = '' WHERE binding = ?1 AND side = ?2 AND base_version <> ''`, l.Binding, side)
	})
}

// Stamped is the last create on a place that gave, or was to give, a record a mark.
func (s *Store) Stamped(ctx context.Context, p record.Place, mark string) (record.Intent, bool, error) {
	i, ok, err := first(collect(ctx, s.reader, scanIntent, `SELECT `+intentColumns+` FROM intent i
		WHERE i.binding = ?1 AND i.side = ?2 AND CASE WHEN json_valid(i.change) THEN i.change ->> '$.stamp' END = ?3 ORDER BY i.made DESC, i.id DESC LIMIT 1`,
		p.Binding, p.Side, mark))
	return i, ok, s.explain("read which create gave a mark", err)
}
