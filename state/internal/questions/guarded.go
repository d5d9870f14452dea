package questions

import (
	"context"
	"database/sql"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// Guarded returns why guards hold changes of a binding back, by the link and by the entry that a change is about.
func (s *Store) Guarded(ctx context.Context, b record.Binding) (links map[record.LinkID]string, entries map[int64]string, err error) {
	type held struct {
		link  record.LinkID
		entry int64
		why   string
	}
	found, err := sqlite.Collect(ctx, s.db.Reader, func(rows *sql.Rows) (h held, err error) {
		return h, rows.Scan(&h.link, &h.entry, &h.why)
	}, `SELECT t.link, t.entry, s.why || ' (nightporter approve ' || s.held || ')' FROM question s JOIN member t ON t.question = s.id
		WHERE s.binding = ?1 AND s.closed IS NULL AND t.state = ''`, b)
	links, entries = map[record.LinkID]string{}, map[int64]string{}
	for _, h := range found {
		if h.link != 0 {
			links[h.link] = h.why
		}
		if h.entry != 0 {
			entries[h.entry] = h.why
		}
	}
	return links, entries, s.db.Explain("read what guards hold", err)
}
