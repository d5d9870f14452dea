package entries

import (
	"context"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// Naming returns the linked entries of a place that were settled with a certain reference: path is where the base
// keeps it, and to is the entity that it was resolved to. Records that are proven not to be there are left out. No
// index helps: the query looks through all linked entries of the place.
func (s *Store) Naming(ctx context.Context, p record.Place, path string, to record.Value) ([]record.Entry, error) {
	text, err := sqlite.Encode(record.BaseOf(record.Fields{path: to}))
	if err != nil || len(text) <= 2 {
		return nil, s.db.Explain("look for who names a record", err)
	}
	return sqlite.List(ctx, s.db, "look for who names a record", scanEntry, `SELECT `+Columns+` FROM entry e
		WHERE e.binding = ?1 AND e.side = ?2 AND e.link IS NOT NULL AND e.state NOT IN `+sqlite.EntriesAway+`
		AND instr(e.base, ?3) > 0 ORDER BY e.num`, p.Binding, p.Side, text[1:len(text)-1])
}
