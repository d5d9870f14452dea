package state

import (
	"context"
	"database/sql"

	"nightporter/sync/record"
)

// Pairs is at most n pairs of a binding after the link named, by number.
func (s *Store) Pairs(ctx context.Context, b record.Binding, after record.LinkID, n int) ([]record.Pair, error) {
	pairs, err := pairsWhere(ctx, s.reader, `SELECT id FROM link WHERE binding = ?1 AND id > ?2 ORDER BY id LIMIT ?3 + 0`, b, after, n)
	return pairs, s.explain("read pairs", err)
}

// Lone is at most n entries of a place that have no link, after the number named,
// whatever their state.
func (s *Store) Lone(ctx context.Context, p record.Place, after int64, n int) ([]record.Entry, error) {
	found, err := collect(ctx, s.reader, scanEntry, `SELECT `+entryColumns+` FROM entry e
		WHERE e.binding = ?1 AND e.side = ?2 AND e.link IS NULL AND e.num > ?3 ORDER BY e.num LIMIT ?4 + 0`, p.Binding, p.Side, after, n)
	return found, s.explain("read lone entries", err)
}

// Guarded is why guards hold changes of a binding back, by the link and by the entry
// that each is about.
func (s *Store) Guarded(ctx context.Context, b record.Binding) (links map[record.LinkID]string, entries map[int64]string, err error) {
	type held struct {
		link  record.LinkID
		entry int64
		why   string
	}
	found, err := collect(ctx, s.reader, func(rows *sql.Rows) (h held, err error) {
		return h, rows.Scan(&h.link, &h.entry, &h.why)
	}, `SELECT t.link, t.entry, s.why || ' (nightporter approve ' || s.digest || ')' FROM stage s JOIN staged t ON t.stage = s.digest
		WHERE s.binding = ?1 AND s.ended IS NULL AND t.state = ''`, b)
	links, entries = map[record.LinkID]string{}, map[int64]string{}
	for _, h := range found {
		if h.link != 0 {
			links[h.link] = h.why
		}
		if h.entry != 0 {
			entries[h.entry] = h.why
		}
	}
	return links, entries, s.explain("read what guards hold", err)
}

// UndoneOn is the run that put a field of a link back, and which run that undid, if
// nothing of ours wrote the field since; 0 for none.
func (s *Store) UndoneOn(ctx context.Context, link record.LinkID, field string) (run, undid int64, err error) {
	err = s.reader.QueryRowContext(ctx, `SELECT r.id, r.undoes FROM intent i JOIN run r ON r.id = i.run
		WHERE i.link = ?1 AND i.state = 'settled' AND EXISTS (SELECT 1 FROM json_each(i.fields) f WHERE f.value ->> '$.field' = ?2)
		ORDER BY i.ended_at DESC, i.id DESC LIMIT 1`, link, field).Scan(&run, &undid)
	if isNone(err) || err == nil && undid == 0 {
		return 0, 0, nil
	}
	return run, undid, s.explain("read what was undone", err)
}
