package journal

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// Created returns the creates on a side that were settled at the time since or later, oldest first.
func (s *Store) Created(ctx context.Context, p record.Place, since time.Time) ([]record.Intent, error) {
	return sqlite.List(ctx, s.db, "read creates", ScanIntent, `SELECT `+Columns+` FROM intent i
		WHERE i.ended_at >= ?3 AND i.binding = ?1 AND i.side = ?2 AND i.state = `+sqlite.IntentSettled+`
		AND CASE WHEN json_valid(i.change) THEN i.change ->> '$.op' END = 'create' ORDER BY i.made, i.id`, p.Binding, p.Side, since.UnixMilli())
}

// Made returns the links of the records that were created on a side at the time since or later, and when each
// create was settled.
func (s *Store) Made(ctx context.Context, p record.Place, since time.Time) ([]record.Made, error) {
	scan := func(rows *sql.Rows) (m record.Made, err error) {
		err = rows.Scan(&m.Link, sqlite.AsTime(&m.At))
		return m, err
	}
	return sqlite.List(ctx, s.db, "read creates", scan, `SELECT i.link, i.ended_at FROM intent i
		WHERE i.ended_at >= ?3 AND i.binding = ?1 AND i.side = ?2 AND i.state = `+sqlite.IntentSettled+` AND i.link IS NOT NULL
		AND CASE WHEN json_valid(i.change) THEN i.change ->> '$.op' END = 'create' ORDER BY i.made, i.id`, p.Binding, p.Side, since.UnixMilli())
}

// LostQuery is the statement of Lost. It repeats the list of states in the condition of an index, so that SQLite
// uses that index.
const LostQuery = `SELECT ` + Columns + ` FROM intent i
	WHERE i.binding = ?1 AND i.state IN ` + sqlite.IntentsOpen + ` AND i.state = ` + sqlite.IntentLost + ` ORDER BY i.made, i.id`

// Lost returns the changes of which nobody can know what became: a person decides.
func (s *Store) Lost(ctx context.Context, b record.Binding) ([]record.Intent, error) {
	return sqlite.List(ctx, s.db, "read lost changes", ScanIntent, LostQuery, b)
}

// RefusalQuery is the statement of Refusals. It begins with the index of what was refused, which mostly is empty.
// It reads the journal once for the last success of each entry, and not at all if no create was refused. If it
// searched for each refusal, a first night with thousands of them would never end. For a link with a refused
// change it returns the settled changes too.
const RefusalQuery = `WITH unmade AS MATERIALIZED (SELECT 1 FROM intent INDEXED BY intent_rejected
		WHERE binding = ?1 AND state = ` + sqlite.IntentRejected + ` AND link IS NULL AND source IS NOT NULL LIMIT 1),
	done AS MATERIALIZED (
		SELECT side, source, max(printf('%020d', made) || id) AS word FROM unmade CROSS JOIN intent
		WHERE binding = ?1 AND source IS NOT NULL AND state = ` + sqlite.IntentSettled + ` GROUP BY side, source),
	refused AS MATERIALIZED (SELECT DISTINCT link, side FROM intent INDEXED BY intent_rejected
		WHERE binding = ?1 AND state = ` + sqlite.IntentRejected + ` AND link IS NOT NULL)
	SELECT ` + Columns + ` FROM intent i INDEXED BY intent_rejected LEFT JOIN done ON done.side = i.side AND done.source = i.source
	CROSS JOIN entry e ON e.num = i.source AND e.link IS NULL AND e.state <> ` + sqlite.EntryGone + `
	WHERE i.binding = ?1 AND i.state = ` + sqlite.IntentRejected + ` AND i.link IS NULL AND i.source IS NOT NULL
	AND (done.word IS NULL OR done.word < printf('%020d', i.made) || i.id)
	UNION ALL
	SELECT ` + Columns + ` FROM refused r CROSS JOIN intent i ON i.link = r.link AND i.side = r.side
	WHERE i.binding = ?1 AND i.state IN ` + sqlite.IntentsAnswered + `
	ORDER BY made, id`

// Refusals returns the changes that systems refused and have not taken since, in the order in which they were
// made. For an entry that has no link and is not gone, these are the creates after the last one that was settled.
// For a link, these are the changes of which no field was written later.
func (s *Store) Refusals(ctx context.Context, b record.Binding) ([]record.Intent, error) {
	found, err := sqlite.Collect(ctx, s.db.Reader, ScanIntent, RefusalQuery, b)
	if err != nil {
		return nil, s.db.Explain("read refusals", err)
	}
	type place struct {
		link record.LinkID
		side record.Side
	}
	written := map[place]map[string]bool{} // paths that were written later
	var kept []record.Intent
	for _, in := range slices.Backward(found) {
		at := place{in.Link, in.Place.Side}
		if in.State == record.Settled {
			if written[at] == nil {
				written[at] = map[string]bool{}
			}
			for p := range in.Change.Fields {
				written[at][p] = true
			}
			continue
		}
		if !slices.ContainsFunc(in.Change.Fields.Names(), func(p string) bool { return in.Link != 0 && written[at][p] }) {
			kept = append(kept, in)
		}
	}
	slices.Reverse(kept)
	return kept, nil
}
