package runs

import (
	"context"
	"database/sql"
	"strings"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// sideName is how the name of a count of one side begins.
const sideName = `CASE side WHEN 0 THEN 'left.' ELSE 'right.' END`

// Counts returns what there is of a binding, by name. There are "links"; for each side its "entries", those
// "unlinked", those in each state ("left.held"; "left.in_step" for those in none) and the items in quarantine that
// have no id ("left.unreadable"); open "conflicts"; "intents", and apart from them those "lost"; "waits"; records
// "unwritten" until a person mends it; and sets "staged" that nobody has decided yet.
func (s *Store) Counts(ctx context.Context, b record.Binding) (record.Counts, error) {
	type count struct {
		name string
		n    int64
	}
	found, err := sqlite.Collect(ctx, s.db.Reader, func(rows *sql.Rows) (c count, err error) {
		err = rows.Scan(&c.name, &c.n)
		return c, err
	}, `SELECT 'links', count(*) FROM link WHERE binding = ?1
		UNION ALL SELECT `+sideName+` || 'entries', count(*) FROM entry WHERE binding = ?1 GROUP BY side
		UNION ALL SELECT `+sideName+` || 'unlinked', count(*) FROM entry WHERE binding = ?1 AND link IS NULL GROUP BY side
		UNION ALL SELECT 'state:' || `+sideName+` || state, count(*) FROM entry WHERE binding = ?1 AND state <> '' GROUP BY side, state
		UNION ALL SELECT `+sideName+` || 'unreadable', count(*)
			FROM quarantine WHERE binding = ?1 AND entry IS NULL GROUP BY side
		UNION ALL SELECT 'conflicts', count(*) FROM question WHERE binding = ?1 AND closed IS NULL AND (link <> 0 OR entry <> 0)
		UNION ALL SELECT 'intents', count(*) FROM intent WHERE binding = ?1 AND state IN `+sqlite.IntentsOpen+` AND state = `+sqlite.IntentSent+`
		UNION ALL SELECT 'lost', count(*) FROM intent WHERE binding = ?1 AND state = `+sqlite.IntentLost+`
		UNION ALL SELECT 'staged', count(*) FROM question WHERE binding = ?1 AND held <> '' AND closed IS NULL AND choice = ''
		UNION ALL SELECT 'unwritten', count(*) FROM finding WHERE binding = ?1 AND name <> 'lacking'
		UNION ALL SELECT 'waits', count(*) FROM wait WHERE binding = ?1`, b)
	if err != nil {
		return nil, s.db.Explain("count", err)
	}
	counts := make(record.Counts, len(found))
	var special [2]int64 // entries in a state of their own: they are few, and all others are in step
	for _, c := range found {
		name, state := strings.CutPrefix(c.name, "state:")
		counts[name] = c.n
		if state {
			side := record.Left
			if strings.HasPrefix(name, record.Right.String()) {
				side = record.Right
			}
			special[side] += c.n
		}
	}
	for _, side := range record.Sides {
		if n := counts[side.String()+".entries"] - special[side]; n > 0 {
			counts[side.String()+".in_step"] = n
		}
	}
	return counts, nil
}
