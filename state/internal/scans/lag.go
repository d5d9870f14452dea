package scans

import (
	"context"
	"database/sql"
	"time"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

const (
	lagWithin  = 24 * time.Hour      // if no list shows a create for longer, that is not lag
	lagLooked  = 200                 // how many of the newest changes are looked at
	lagKept    = 30 * 24 * time.Hour // how long a measure counts
	lagMissing = -1                  // in place of milliseconds: a list did not show the change, and none has shown it yet
)

// measureLag notes how long it took until a complete list showed each record that we created. If the first list
// after the create shows the record, it took no time that we could have noticed. If lists have missed the record,
// it took until the list that shows it was begun.
func measureLag(ctx context.Context, tx *sql.Tx, scan PastScan, shown bitmap) error {
	type made struct {
		intent string
		ended  int64
		num    int64
		missed bool
	}
	started := scan.Started.UnixMilli()
	list, err := sqlite.Collect(ctx, tx, func(rows *sql.Rows) (m made, err error) {
		err = rows.Scan(&m.intent, &m.ended, &m.num, &m.missed)
		return m, err
	}, `SELECT i.id, i.ended_at, e.num, g.ms IS NOT NULL
		FROM (SELECT rowid AS row FROM intent WHERE ended_at < ?3 AND ended_at >= ?4 ORDER BY ended_at DESC LIMIT ?5 + 0) n
		CROSS JOIN intent i ON i.rowid = n.row
		JOIN entry e ON e.binding = i.binding AND e.side = i.side AND e.id = i.ref AND e.kind = i.kind
		LEFT JOIN lag g ON g.binding = i.binding AND g.side = i.side AND g.intent = i.id
		WHERE i.binding = ?1 AND i.side = ?2 AND i.state = `+sqlite.IntentSettled+` AND CASE WHEN json_valid(i.change) THEN i.change ->> '$.op' END = 'create'
		AND coalesce(g.ms, ?6) = ?6`,
		scan.Place.Binding, scan.Place.Side, started, started-lagWithin.Milliseconds(), lagLooked, lagMissing)
	if err != nil {
		return err
	}
	for _, m := range list {
		ms := int64(lagMissing)
		switch {
		case shown.has(m.num) && m.missed:
			ms = started - m.ended
		case shown.has(m.num):
			ms = 0
		case m.missed:
			continue
		}
		err := sqlite.Exec(ctx, tx, `INSERT INTO lag (binding, side, intent, at, ms) VALUES (?1, ?2, ?3, ?4, ?5)
			ON CONFLICT (binding, side, intent) DO UPDATE SET ms = excluded.ms, at = excluded.at`,
			scan.Place.Binding, scan.Place.Side, m.intent, started, ms)
		if err != nil {
			return err
		}
	}
	if len(list) == 0 {
		return nil
	}
	return sqlite.Exec(ctx, tx, `DELETE FROM lag WHERE at < ?1`, started-lagKept.Milliseconds())
}

// Lag returns how late a place shows what we write there: the time within which all but one in a thousand of the
// last month's creates and updates were shown, and how many these are.
func (s *Store) Lag(ctx context.Context, p record.Place, now time.Time) (record.Lag, error) {
	var l record.Lag
	var ms sql.NullInt64
	since := now.Add(-lagKept).UnixMilli()
	err := s.db.Reader.QueryRowContext(ctx, `SELECT count(*) FROM lag WHERE binding = ?1 AND side = ?2 AND ms >= 0 AND at >= ?3`,
		p.Binding, p.Side, since).Scan(&l.Measured)
	if err != nil || l.Measured == 0 {
		return l, s.db.Explain("read lag", err)
	}
	err = s.db.Reader.QueryRowContext(ctx, `SELECT ms FROM lag WHERE binding = ?1 AND side = ?2 AND ms >= 0 AND at >= ?3
		ORDER BY ms DESC LIMIT 1 OFFSET ?4 + 0`, p.Binding, p.Side, since, l.Measured/1000).Scan(&ms)
	l.Most = time.Duration(ms.Int64) * time.Millisecond
	return l, s.db.Explain("read lag", err)
}
