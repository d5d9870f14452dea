package state

import (
	"context"
	"database/sql"

	"nightporter/sync/record"
)

// Counts is what there is of a binding: "links"; for each side its "entries", those
// "unlinked", those of each state ("left.held"; "left.in_step" for none) and the
// items in quarantine that have no id ("left.unreadable"); open "conflicts",
// "intents" (those "lost" apart) and "waits".
func (s *Store) Counts(ctx context.Context, b record.Binding) (record.Counts, error) {
	type count struct {
		name string
		n    int64
	}
	found, err := collect(ctx, s.reader, func(rows *sql.Rows) (c count, err error) {
		err = rows.Scan(&c.name, &c.n)
		return c, err
	}, `WITH e AS (SELECT CASE side WHEN 0 THEN 'left.' ELSE 'right.' END AS side, state, link FROM entry WHERE binding = ?1)
		SELECT 'links', count(*) FROM link WHERE binding = ?1
		UNION ALL SELECT side || 'entries', count(*) FROM e GROUP BY side
		UNION ALL SELECT side || 'unlinked', count(*) FROM e WHERE link IS NULL GROUP BY side
		UNION ALL SELECT side || CASE state WHEN '' THEN 'in_step' ELSE state END, count(*) FROM e GROUP BY side, state
		UNION ALL SELECT CASE side WHEN 0 THEN 'left.' ELSE 'right.' END || 'unreadable', count(*)
			FROM quarantine WHERE binding = ?1 AND entry IS NULL GROUP BY side
		UNION ALL SELECT 'conflicts', count(*) FROM conflict WHERE binding = ?1 AND closed IS NULL
		UNION ALL SELECT 'intents', count(*) FROM intent WHERE binding = ?1 AND state IN ('prepared', 'sent')
		UNION ALL SELECT 'lost', count(*) FROM intent WHERE binding = ?1 AND state = 'held'
		UNION ALL SELECT 'waits', count(*) FROM wait WHERE binding = ?1`, b)
	if err != nil {
		return nil, s.explain("count", err)
	}
	counts := make(record.Counts, len(found))
	for _, c := range found {
		counts[c.name] = c.n
	}
	return counts, nil
}
