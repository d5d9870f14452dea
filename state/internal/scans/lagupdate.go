package scans

import (
	"context"
	"database/sql"
	"time"

	"nightporter/state/internal/entries"
	"nightporter/state/internal/journal"
	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// lagOfUpdate is the longest time after an update has settled that counts as lag. If a record shows our value
// again later than that, somebody may have entered it again.
const lagOfUpdate = 10 * time.Minute

const updatesLooked = 5 * lagLooked

// measureUpdates notes how long it took until reads showed what our updates wrote. An update was applied late if
// its record still showed the old value after the update was answered and had settled, and shows the new one now.
// A record that shows neither was edited, and tells nothing.
func measureUpdates(ctx context.Context, tx *sql.Tx, scan PastScan) error {
	started := scan.Started
	landed, err := sqlite.Collect(ctx, tx, scanMeasured, `SELECT i.id, i.link, i.change, i.receipt, i.ended_at, g.ms IS NOT NULL
		FROM (SELECT rowid AS row FROM intent WHERE ended_at < ?3 AND ended_at >= ?4 ORDER BY ended_at DESC LIMIT ?7 + 0) n
		CROSS JOIN intent i ON i.rowid = n.row
		LEFT JOIN lag g ON g.binding = i.binding AND g.side = i.side AND g.intent = i.id
		WHERE i.binding = ?1 AND i.side = ?2 AND i.state = `+sqlite.IntentSettled+` AND i.link IS NOT NULL AND i.risk <> 'create'
		AND CASE WHEN json_valid(i.change) THEN i.change ->> '$.op' END IN ('update', 'action') AND coalesce(g.ms, ?6) = ?6 ORDER BY i.ended_at DESC, i.id DESC LIMIT ?5 + 0`,
		scan.Place.Binding, scan.Place.Side, started.UnixMilli(), started.Add(-lagWithin).UnixMilli(), lagLooked, lagMissing, updatesLooked)
	if err != nil {
		return err
	}
	later := map[record.LinkID]bool{} // links of which a later update was looked at already
	for _, m := range landed {
		if later[m.Link] {
			continue
		}
		later[m.Link] = true
		r, ok, err := sqlite.First(entries.Where(ctx, tx, `e.link = ?1 AND e.binding = ?2 AND e.side = ?3`, m.Link, scan.Place.Binding, scan.Place.Side))
		if err != nil {
			return err
		}
		if !ok || r.Ref != m.Ref { // the link ended, or goes on with another record
			continue
		}
		ms, told := m.lag(r, started)
		if !told {
			continue
		}
		err = sqlite.Exec(ctx, tx, `INSERT INTO lag (binding, side, intent, at, ms) VALUES (?1, ?2, ?3, ?4, ?5)
			ON CONFLICT (binding, side, intent) DO UPDATE SET ms = excluded.ms, at = excluded.at`,
			scan.Place.Binding, scan.Place.Side, m.id, started.UnixMilli(), ms)
		if err != nil {
			return err
		}
	}
	return nil
}

// measured is an update that was answered. missed says that a read has shown the old value since.
type measured struct {
	record.Landed
	id     string
	missed bool
}

func scanMeasured(rows *sql.Rows) (m measured, err error) {
	m.id, m.Landed, err = journal.ReadLanded(rows, &m.missed)
	return m, err
}

// lag returns what a record, as it is known now, tells of an update: how many milliseconds the update took, or
// lagMissing. told is false where the record tells nothing new.
func (m *measured) lag(r *entries.Row, started time.Time) (ms int64, told bool) {
	if started.Sub(r.SettleUntil) > lagOfUpdate {
		return 0, false
	}
	ours, theirs := m.shownBy(r.Last())
	switch {
	case ours == theirs: // a part of each, or neither
		return 0, false
	case ours && m.missed:
		return started.Sub(m.At).Milliseconds(), true
	case ours:
		return 0, !started.Before(r.SettleUntil) // before that a late read is not believed
	}
	missed := !m.missed && r.Seen != nil && r.Seen.At.After(m.At) && !m.putBack(r.Seen.Changed)
	return lagMissing, missed
}

// shownBy looks at the fields that an update wrote. ours reports whether one of them shows what the update wrote, theirs
// whether one shows what the update replaced. If a field shows a third value, somebody edited the record, and both are
// false.
func (m *measured) shownBy(now record.Fields) (ours, theirs bool) {
	for path, after := range m.After {
		before, v := m.Before[path], now[path]
		switch {
		case !before.Observed() || entries.Alike(before, after):
		case v.Observed() && entries.Alike(v, after):
			ours = true
		case v.Observed() && entries.Alike(v, before):
			theirs = true
		default:
			return false, false
		}
	}
	return ours, theirs
}

// putBack reports whether a record was changed after our update, by its system's clock: then
// somebody put back what we had replaced.
func (m *measured) putBack(changed time.Time) bool {
	return !m.Changed.IsZero() && changed.After(m.Changed)
}
