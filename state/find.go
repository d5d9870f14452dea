package state

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"time"

	"nightporter/sync/record"
)

// Unlinked is at most n entries of a place after the number named that might be
// linked: in step, waiting, held or attached, or marked dirty; never one that is absent, or can't be
// read: nothing is made of what it was.
func (s *Store) Unlinked(ctx context.Context, p record.Place, after int64, n int) ([]record.Entry, error) {
	found, err := collect(ctx, s.reader, scanEntry, `SELECT `+entryColumns+` FROM entry e
		WHERE e.binding = ?1 AND e.side = ?2 AND e.link IS NULL AND e.num > ?3
		AND (e.state IN ('', 'waiting', 'held', 'attached') OR e.dirty = 1) AND e.state NOT IN ('missed', 'suspect', 'gone', 'out_of_scope')
		AND (e.seen IS NOT NULL OR e.base IS NOT NULL)
		AND NOT (e.state = 'quarantined' AND EXISTS (SELECT 1 FROM quarantine q WHERE q.entry = e.num))
		ORDER BY e.num LIMIT ?4 + 0`, p.Binding, p.Side, after, n)
	return found, s.explain("read unlinked entries", err)
}

// UnlinkedSince is every entry of a place without a link that was first seen at a moment
// or after it, whatever became of it: put aside, absent or gone too.
func (s *Store) UnlinkedSince(ctx context.Context, p record.Place, since time.Time) ([]record.Entry, error) {
	found, err := collect(ctx, s.reader, scanEntry, `SELECT `+entryColumns+` FROM entry e
		WHERE e.binding = ?1 AND e.side = ?2 AND e.link IS NULL AND e.since >= ?3 ORDER BY e.num`, p.Binding, p.Side, since.UnixMilli())
	return found, s.explain("read unlinked entries", err)
}

// Parked reports whether any unlinked entry of a place was put aside: left out, or
// quarantined.
func (s *Store) Parked(ctx context.Context, p record.Place) (bool, error) {
	var some bool
	err := s.reader.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM entry WHERE binding = ?1 AND side = ?2
		AND state <> '' AND state IN ('left_out', 'quarantined') AND link IS NULL)`, p.Binding, p.Side).Scan(&some)
	return some, s.explain("look for entries put aside", err)
}

// AnyUnlinked reports whether any entry of a place without a link is in a state; not to be asked of
// the one that has no name.
func (s *Store) AnyUnlinked(ctx context.Context, p record.Place, state record.EntryState) (bool, error) {
	var some bool
	err := s.reader.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM entry WHERE binding = ?1 AND side = ?2
		AND state <> '' AND state = ?3 AND link IS NULL)`, p.Binding, p.Side, string(state)).Scan(&some)
	return some, s.explain("look for entries of a state", err)
}

// Unknown is a record of a place without a link of which nothing is known, as it took the id of another one, and
// that is still to be read; the zero Ref where there is none.
func (s *Store) Unknown(ctx context.Context, p record.Place) (record.Ref, error) {
	refs, err := collect(ctx, s.reader, func(rows *sql.Rows) (ref record.Ref, err error) {
		err = rows.Scan(&ref.Kind, &ref.ID)
		return ref, err
	}, `SELECT kind, id FROM entry WHERE binding = ?1 AND side = ?2 AND recheck IS NOT NULL AND link IS NULL
		AND state = '' AND seen IS NULL AND base IS NULL ORDER BY recheck LIMIT 1`, p.Binding, p.Side)
	if err != nil || len(refs) == 0 {
		return record.Ref{}, s.explain("look for records that are still to be read", err)
	}
	return refs[0], nil
}

// Illegible is at most n entries of a place without a link that were shown and that no read
// could make sense of since, by number; none that is proven not to be there.
func (s *Store) Illegible(ctx context.Context, p record.Place, n int) ([]record.Entry, error) {
	found, err := collect(ctx, s.reader, scanEntry, `SELECT `+entryColumns+` FROM quarantine q CROSS JOIN entry e ON e.num = q.entry
		WHERE q.binding = ?1 AND q.side = ?2 AND e.link IS NULL AND e.state NOT IN ('gone', 'out_of_scope')
		ORDER BY e.num LIMIT ?3 + 0`, p.Binding, p.Side, n)
	return found, s.explain("read entries that can't be read", err)
}

// Entries is the entries of those numbers, by number. One that is not known is not
// among them.
func (s *Store) Entries(ctx context.Context, nums []int64) (map[int64]record.Entry, error) {
	list, err := json.Marshal(nums)
	if err != nil {
		return nil, s.explain("read entries", err)
	}
	found, err := collect(ctx, s.reader, scanEntry, `SELECT `+entryColumns+` FROM entry e
		WHERE e.num IN (SELECT value FROM json_each(?1))`, string(list))
	out := make(map[int64]record.Entry, len(found))
	for i := range found {
		out[found[i].Num] = found[i]
	}
	return out, s.explain("read entries", err)
}

// linkedQuery joins as matchingQuery does.
const linkedQuery = `SELECT j.key, e.kind, e.id FROM json_each(?3) j
	CROSS JOIN entry_key k ON k.binding = ?1 AND k.side = ?2 AND k.name = j.value ->> '$.name' AND k.text = j.value ->> '$.text'
	CROSS JOIN entry e ON e.num = k.entry
	WHERE e.link IS NOT NULL AND e.state NOT IN ('gone', 'out_of_scope') ORDER BY e.num`

// Linked is the linked records among those that Matching finds by each key, by their
// number. A key that no linked record holds is not among them.
func (s *Store) Linked(ctx context.Context, p record.Place, keys []record.Key) (map[record.Key][]record.Ref, error) {
	keys = slices.DeleteFunc(slices.Clone(keys), func(k record.Key) bool { return !usable(k.Text) })
	if len(keys) == 0 {
		return nil, nil //nolint:nilnil // nothing asked, nothing found
	}
	list, err := json.Marshal(s.sealOf(p.Binding).keys(keys))
	if err != nil {
		return nil, s.explain("read linked records", err)
	}
	type held struct {
		at  int
		ref record.Ref
	}
	found, err := collect(ctx, s.reader, func(rows *sql.Rows) (h held, err error) {
		return h, rows.Scan(&h.at, &h.ref.Kind, &h.ref.ID)
	}, linkedQuery, p.Binding, p.Side, string(list))
	out := map[record.Key][]record.Ref{}
	for _, h := range found {
		out[keys[h.at]] = append(out[keys[h.at]], h.ref)
	}
	return out, s.explain("read linked records", err)
}

// matchingQuery joins across: the few keys outside, the index inside. Left to itself
// SQLite reads all keys of a side for each question.
const matchingQuery = `SELECT ` + entryColumns + ` FROM entry e
	WHERE e.num IN (SELECT k.entry FROM json_each(?3) j CROSS JOIN entry_key k
		ON k.binding = ?1 AND k.side = ?2 AND k.name = j.value ->> '$.name' AND k.text = j.value ->> '$.text')
	AND e.state NOT IN ('gone', 'out_of_scope') ORDER BY e.num`

// Matching is the entries of a place that hold any of the keys, linked ones too,
// by number. What is absent is left out. What can't be read counts as it was read last.
func (s *Store) Matching(ctx context.Context, p record.Place, keys []record.Key) ([]record.Entry, error) {
	keys = slices.DeleteFunc(slices.Clone(keys), func(k record.Key) bool { return !usable(k.Text) })
	if len(keys) == 0 {
		return nil, nil
	}
	keys = s.sealOf(p.Binding).keys(keys)
	list, err := json.Marshal(keys)
	if err != nil {
		return nil, s.explain("read matching entries", err)
	}
	found, err := collect(ctx, s.reader, scanEntry, matchingQuery, p.Binding, p.Side, string(list))
	return found, s.explain("read matching entries", err)
}

// outsideQuery joins as matchingQuery does.
const outsideQuery = `SELECT ` + entryColumns + ` FROM entry e
	WHERE e.num IN (SELECT k.entry FROM json_each(?3) j CROSS JOIN entry_key k
		ON k.binding = ?1 AND k.side = ?2 AND k.name = j.value ->> '$.name' AND k.text = j.value ->> '$.text')
	AND e.state = 'out_of_scope' AND e.link IS NULL ORDER BY e.num`

// Outside is the entries of a place without a link that lie outside of its window or filter and held
// any of the keys when they were read last, by number.
func (s *Store) Outside(ctx context.Context, p record.Place, keys []record.Key) ([]record.Entry, error) {
	keys = slices.DeleteFunc(slices.Clone(keys), func(k record.Key) bool { return !usable(k.Text) })
	if len(keys) == 0 {
		return nil, nil
	}
	list, err := json.Marshal(s.sealOf(p.Binding).keys(keys))
	if err != nil {
		return nil, s.explain("read entries outside", err)
	}
	found, err := collect(ctx, s.reader, scanEntry, outsideQuery, p.Binding, p.Side, string(list))
	return found, s.explain("read entries outside", err)
}

// Present is the linked entries of a place that are not known to be absent, also those out of scope, by
// number.
func (s *Store) Present(ctx context.Context, p record.Place, after int64, n int) ([]record.Entry, error) {
	found, err := collect(ctx, s.reader, scanEntry, `SELECT `+entryColumns+` FROM entry e
		WHERE e.binding = ?1 AND e.side = ?2 AND e.link IS NOT NULL AND e.num > ?3 AND e.state NOT IN ('missed', 'suspect', 'gone', 'stranger')
		ORDER BY e.num LIMIT ?4 + 0`, p.Binding, p.Side, after, n)
	return found, s.explain("read linked entries", err)
}

// Superseded is the entries of a place without a link of which a newer version took the
// place, that hold any of the keys, and from which a create was sent that was given up, by
// number: a record across with such a key is what came of it, later than anybody waited for.
func (s *Store) Superseded(ctx context.Context, p record.Place, keys []record.Key) ([]record.Entry, error) {
	keys = slices.DeleteFunc(slices.Clone(keys), func(k record.Key) bool { return !usable(k.Text) })
	if len(keys) == 0 {
		return nil, nil
	}
	list, err := json.Marshal(s.sealOf(p.Binding).keys(keys))
	if err != nil {
		return nil, s.explain("read superseded entries", err)
	}
	found, err := collect(ctx, s.reader, scanEntry, `SELECT `+entryColumns+` FROM entry e
		WHERE e.num IN (SELECT k.entry FROM json_each(?3) j CROSS JOIN entry_key k
			ON k.binding = ?1 AND k.side = ?2 AND k.name = j.value ->> '$.name' AND k.text = j.value ->> '$.text')
		AND e.link IS NULL AND e.state = 'gone'
		AND EXISTS (SELECT 1 FROM tombstone t WHERE t.entry = e.num AND t.evidence = 'replaced')
		AND EXISTS (SELECT 1 FROM intent i WHERE i.source = e.num AND i.state = 'cancelled' AND i.sent_at IS NOT NULL)
		ORDER BY e.num`, p.Binding, p.Side, string(list))
	return found, s.explain("read superseded entries", err)
}

// Due is at most n entries of a place that must be read by id: suspects, and those
// whose time has come.
func (s *Store) Due(ctx context.Context, p record.Place, now time.Time, n int) ([]record.Entry, error) {
	found, err := collect(ctx, s.reader, scanEntry, `SELECT `+entryColumns+` FROM entry e WHERE e.num IN (
			SELECT num FROM entry WHERE binding = ?1 AND side = ?2 AND state <> '' AND state = 'suspect'
			UNION SELECT num FROM entry WHERE binding = ?1 AND side = ?2 AND recheck IS NOT NULL AND recheck <= ?3)
		ORDER BY e.num LIMIT ?4 + 0`, p.Binding, p.Side, now.UnixMilli(), n)
	return found, s.explain("read due entries", err)
}

// Sample is n linked entries of a place drawn at random, all of them if there are
// fewer, by number; none that is absent, or may be, or has become another, or of which the
// file has damaged values.
func (s *Store) Sample(ctx context.Context, p record.Place, n int) ([]record.Entry, error) {
	for most := n; ; most *= 4 {
		drawn, found, err := s.sample(ctx, p, most)
		if err != nil {
			return nil, s.explain("draw entries", err)
		}
		if len(found) >= n || drawn < most {
			return found[:min(n, len(found))], nil
		}
	}
}

// sample draws at most n entries, and gives those that are not damaged.
func (s *Store) sample(ctx context.Context, p record.Place, n int) (drawn int, found []record.Entry, err error) {
	nums, err := s.draw(ctx, p, n)
	if err != nil {
		return 0, nil, err
	}
	list, err := json.Marshal(nums)
	if err != nil {
		return 0, nil, err
	}
	found, err = collect(ctx, s.reader, scanEntry, `SELECT `+entryColumns+` FROM entry e
		WHERE e.num IN (SELECT value FROM json_each(?1)) ORDER BY e.num`, string(list))
	return len(nums), slices.DeleteFunc(found, func(e record.Entry) bool { return e.Damaged != "" }), err
}

// drawable is what an entry must be to be drawn.
const drawable = `binding = ?1 AND side = ?2 AND link IS NOT NULL AND state NOT IN ('missed', 'suspect', 'gone', 'out_of_scope', 'stranger')`

// draw gives the numbers of n entries, each drawn as likely as the others. Where there
// are many, a number is drawn and the entry behind it taken, which is nearly that and
// doesn't read them all.
func (s *Store) draw(ctx context.Context, p record.Place, n int) ([]int64, error) {
	var last int64
	if err := s.reader.QueryRowContext(ctx, `SELECT coalesce(max(num), 0) FROM entry`).Scan(&last); err != nil {
		return nil, err
	}
	var drawn []int64
	for range tries(last) {
		from := int64(s.rand(int(last)))
		nums, err := collect(ctx, s.reader, number, `SELECT num FROM entry NOT INDEXED WHERE num BETWEEN ?3 AND ?4 AND `+drawable+`
			ORDER BY num LIMIT 1`, p.Binding, p.Side, from, from+chunkSize)
		if err != nil {
			return nil, err
		}
		if len(nums) > 0 && !slices.Contains(drawn, nums[0]) {
			drawn = append(drawn, nums[0])
		}
		if len(drawn) >= n {
			return drawn, nil
		}
	}
	nums, err := collect(ctx, s.reader, number, `SELECT num FROM entry WHERE `+drawable+` ORDER BY num`, p.Binding, p.Side)
	n = min(n, len(nums))
	for i := range n {
		j := i + s.rand(len(nums)-i)
		nums[i], nums[j] = nums[j], nums[i]
	}
	return nums[:n], err
}

// tries is how often a number is drawn before all entries are read: never where
// those are few.
func tries(last int64) int {
	if last < sweep {
		return 0
	}
	return 100
}
