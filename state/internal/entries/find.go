package entries

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"
	"unicode"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// ReadAgain has the record of an entry read by its id by the next run. It needs no
// lease: a person decides while jobs run.
func (s *Store) ReadAgain(ctx context.Context, b record.Binding, num int64, now time.Time) error {
	return s.db.Write(ctx, "ask for a record to be read", func(ctx context.Context, tx *sql.Tx) error {
		return sqlite.One(ctx, tx, sqlite.Unknown("entry %d of job %s", num, b),
			`UPDATE entry SET recheck = ?3, listed = NULL WHERE num = ?1 AND binding = ?2`, num, b, now.UnixMilli())
	})
}

// EntriesByID is the entries of all bindings whose record has that id.
func (s *Store) EntriesByID(ctx context.Context, id string) ([]record.Entry, error) {
	return sqlite.List(ctx, s.db, "read entries of an id", scanEntry, `SELECT `+Columns+` FROM binding b
		CROSS JOIN (SELECT 0 AS side UNION ALL SELECT 1) d
		CROSS JOIN entry e ON e.binding = b.binding AND e.side = d.side AND e.id = ?1 ORDER BY e.num`, id)
}

// EntriesLike is at most n entries of a binding in whose values stand the letters and
// digits of all words, each word's in their order. What is found is to be looked at
// more closely; of values that are kept as digests nothing is.
func (s *Store) EntriesLike(ctx context.Context, b record.Binding, words []string, n int) ([]record.Entry, error) {
	var patterns []string
	for _, w := range words {
		if p := likePattern(w); p != "" {
			patterns = append(patterns, p)
		}
	}
	if len(patterns) == 0 {
		return nil, nil
	}
	return sqlite.List(ctx, s.db, "look for entries", scanEntry, `SELECT `+Columns+` FROM entry e
		WHERE e.binding = ?1 AND NOT EXISTS (SELECT 1 FROM json_each(?2) w
			WHERE coalesce(e.base, '') NOT LIKE w.value AND coalesce(e.seen, '') NOT LIKE w.value)
		ORDER BY e.num LIMIT ?3 + 0`, b, sqlite.JSON(patterns), n)
}

// likePattern is a word as LIKE looks for it. SQLite knows the two cases of ASCII
// letters alone: any other letter may be anything. A number may be spelt with anything
// between its digits.
func likePattern(word string) string {
	var out strings.Builder
	some := false
	digits := !strings.ContainsFunc(word, unicode.IsLetter)
	for _, r := range word {
		plain := r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r))
		if digits || !plain || !some {
			out.WriteByte('%')
		}
		if plain {
			out.WriteRune(r)
			some = true
		}
	}
	if !some {
		return ""
	}
	return out.String() + "%"
}

// SentOnly is the native paths of a record whose value is only what was sent: neither an answer
// nor a read has shown them since.
func (s *Store) SentOnly(ctx context.Context, num int64) ([]string, error) {
	r, _, err := sqlite.First(Where(ctx, s.db.Reader, `e.num = ?1`, num))
	if err != nil || r == nil {
		return nil, s.db.Explain("look what was only sent", err)
	}
	return slices.DeleteFunc(r.paths, func(p string) bool { _, answered := pathOf(p); return answered }), nil
}

// Unlinked is at most n entries of a place after the number named that might be
// linked: in step, waiting, held or attached, or marked dirty; never one that is absent, or can't be
// read: nothing is made of what it was.
func (s *Store) Unlinked(ctx context.Context, p record.Place, after int64, n int) ([]record.Entry, error) {
	return sqlite.List(ctx, s.db, "read unlinked entries", scanEntry, `SELECT `+Columns+` FROM entry e
		WHERE e.binding = ?1 AND e.side = ?2 AND e.link IS NULL AND e.num > ?3
		AND (e.state IN ('', `+sqlite.EntryWaiting+`, `+sqlite.EntryHeld+`, `+sqlite.EntryAttached+`) OR e.dirty = 1) AND e.state NOT IN `+sqlite.EntriesAbsent+`
		AND (e.seen IS NOT NULL OR e.base IS NOT NULL)
		AND NOT (e.state = `+sqlite.EntryQuarantined+` AND EXISTS (SELECT 1 FROM quarantine q WHERE q.entry = e.num))
		ORDER BY e.num LIMIT ?4 + 0`, p.Binding, p.Side, after, n)
}

// UnlinkedSince is every entry of a place without a link that was first seen at a moment
// or after it, whatever became of it: put aside, absent or gone too.
func (s *Store) UnlinkedSince(ctx context.Context, p record.Place, since time.Time) ([]record.Entry, error) {
	return sqlite.List(ctx, s.db, "read unlinked entries", scanEntry, `SELECT `+Columns+` FROM entry e
		WHERE e.binding = ?1 AND e.side = ?2 AND e.link IS NULL AND e.since >= ?3 ORDER BY e.num`, p.Binding, p.Side, since.UnixMilli())
}

// Parked reports whether any unlinked entry of a place was put aside: left out, or
// quarantined.
func (s *Store) Parked(ctx context.Context, p record.Place) (bool, error) {
	var some bool
	err := s.db.Reader.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM entry WHERE binding = ?1 AND side = ?2
		AND state <> '' AND state IN (`+sqlite.EntryLeftOut+`, `+sqlite.EntryQuarantined+`) AND link IS NULL)`, p.Binding, p.Side).Scan(&some)
	return some, s.db.Explain("look for entries put aside", err)
}

// AnyUnlinked reports whether any entry of a place without a link is in a state; not to be asked of
// the one that has no name.
func (s *Store) AnyUnlinked(ctx context.Context, p record.Place, state record.EntryState) (bool, error) {
	var some bool
	err := s.db.Reader.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM entry WHERE binding = ?1 AND side = ?2
		AND state <> '' AND state = ?3 AND link IS NULL)`, p.Binding, p.Side, string(state)).Scan(&some)
	return some, s.db.Explain("look for entries of a state", err)
}

// Unknown is a record of a place without a link of which nothing is known, as it took the id of another one, and
// that is still to be read; the zero Ref where there is none.
func (s *Store) Unknown(ctx context.Context, p record.Place) (record.Ref, error) {
	refs, err := sqlite.Collect(ctx, s.db.Reader, func(rows *sql.Rows) (ref record.Ref, err error) {
		err = rows.Scan(&ref.Kind, &ref.ID)
		return ref, err
	}, `SELECT kind, id FROM entry WHERE binding = ?1 AND side = ?2 AND recheck IS NOT NULL AND link IS NULL
		AND state = '' AND seen IS NULL AND base IS NULL ORDER BY recheck LIMIT 1`, p.Binding, p.Side)
	if err != nil || len(refs) == 0 {
		return record.Ref{}, s.db.Explain("look for records that are still to be read", err)
	}
	return refs[0], nil
}

// Illegible is at most n entries of a place without a link that were shown and that no read
// could make sense of since, by number; none that is proven not to be there.
func (s *Store) Illegible(ctx context.Context, p record.Place, n int) ([]record.Entry, error) {
	return sqlite.List(ctx, s.db, "read entries that can't be read", scanEntry, `SELECT `+Columns+` FROM quarantine q CROSS JOIN entry e ON e.num = q.entry
		WHERE q.binding = ?1 AND q.side = ?2 AND e.link IS NULL AND e.state NOT IN `+sqlite.EntriesAway+`
		ORDER BY e.num LIMIT ?3 + 0`, p.Binding, p.Side, n)
}

// Entries is the entries of those numbers, by number. One that is not known is not
// among them.
func (s *Store) Entries(ctx context.Context, nums []int64) (map[int64]record.Entry, error) {
	found, err := sqlite.Collect(ctx, s.db.Reader, scanEntry, `SELECT `+Columns+` FROM entry e
		WHERE e.num IN (SELECT value FROM json_each(?1))`, sqlite.JSON(nums))
	out := make(map[int64]record.Entry, len(found))
	for i := range found {
		out[found[i].Num] = found[i]
	}
	return out, s.db.Explain("read entries", err)
}

// LinkedQuery joins as MatchingQuery does.
const LinkedQuery = `SELECT j.key, e.kind, e.id FROM json_each(?3) j
	CROSS JOIN entry_key k ON k.binding = ?1 AND k.side = ?2 AND k.name = j.value ->> '$.name' AND k.text = j.value ->> '$.text'
	CROSS JOIN entry e ON e.num = k.entry
	WHERE e.link IS NOT NULL AND e.state NOT IN ` + sqlite.EntriesAway + ` ORDER BY e.num`

// Linked is the linked records among those that Matching finds by each key, by their
// number. A key that no linked record holds is not among them.
func (s *Store) Linked(ctx context.Context, p record.Place, keys []record.Key) (map[record.Key][]record.Ref, error) {
	keys = usableKeys(keys)
	if len(keys) == 0 {
		return nil, nil //nolint:nilnil // nothing asked, nothing found
	}
	type held struct {
		at  int
		ref record.Ref
	}
	found, err := sqlite.Collect(ctx, s.db.Reader, func(rows *sql.Rows) (h held, err error) {
		return h, rows.Scan(&h.at, &h.ref.Kind, &h.ref.ID)
	}, LinkedQuery, p.Binding, p.Side, sqlite.JSON(s.db.SealOf(p.Binding).Keys(keys)))
	out := map[record.Key][]record.Ref{}
	for _, h := range found {
		out[keys[h.at]] = append(out[keys[h.at]], h.ref)
	}
	return out, s.db.Explain("read linked records", err)
}

// holdsKey is the entries e that hold any of some match keys. It joins across: the few keys outside, the
// index inside. Left to itself SQLite reads all keys of a side for each question.
const holdsKey = `e.num IN (SELECT k.entry FROM json_each(?3) j CROSS JOIN entry_key k
		ON k.binding = ?1 AND k.side = ?2 AND k.name = j.value ->> '$.name' AND k.text = j.value ->> '$.text')`

// MatchingQuery is that of Matching.
const MatchingQuery = `SELECT ` + Columns + ` FROM entry e
	WHERE ` + holdsKey + `
	AND e.state NOT IN ` + sqlite.EntriesAway + ` ORDER BY e.num`

// Matching is the entries of a place that hold any of the keys, linked ones too,
// by number. What is absent is left out. What can't be read counts as it was read last.
func (s *Store) Matching(ctx context.Context, p record.Place, keys []record.Key) ([]record.Entry, error) {
	return s.byKeys(ctx, "read matching entries", MatchingQuery, p, keys)
}

// Outside is the entries of a place without a link that lie outside of its window or filter and held
// any of the keys when they were read last, by number.
func (s *Store) Outside(ctx context.Context, p record.Place, keys []record.Key) ([]record.Entry, error) {
	return s.byKeys(ctx, "read entries outside", `SELECT `+Columns+` FROM entry e
		WHERE `+holdsKey+`
		AND e.state = `+sqlite.EntryOutOfScope+` AND e.link IS NULL ORDER BY e.num`, p, keys)
}

// Superseded is the entries of a place without a link of which a newer version took the
// place, that hold any of the keys, and from which a create was sent that was given up, by
// number: a record across with such a key is what came of it, later than anybody waited for.
func (s *Store) Superseded(ctx context.Context, p record.Place, keys []record.Key) ([]record.Entry, error) {
	return s.byKeys(ctx, "read superseded entries", `SELECT `+Columns+` FROM entry e
		WHERE `+holdsKey+`
		AND e.link IS NULL AND e.state = `+sqlite.EntryGone+`
		AND EXISTS (SELECT 1 FROM tombstone t WHERE t.entry = e.num AND t.evidence = 'replaced')
		AND EXISTS (SELECT 1 FROM intent i WHERE i.source = e.num AND i.state = `+sqlite.IntentCancelled+` AND i.sent_at IS NOT NULL)
		ORDER BY e.num`, p, keys)
}

// byKeys is the entries that a query of holdsKey gives.
func (s *Store) byKeys(ctx context.Context, doing, query string, p record.Place, keys []record.Key) ([]record.Entry, error) {
	keys = usableKeys(keys)
	if len(keys) == 0 {
		return nil, nil
	}
	found, err := sqlite.Collect(ctx, s.db.Reader, scanEntry, query, p.Binding, p.Side, sqlite.JSON(s.db.SealOf(p.Binding).Keys(keys)))
	return found, s.db.Explain(doing, err)
}

// usableKeys is the keys that an entry can be looked up by.
func usableKeys(keys []record.Key) []record.Key {
	return slices.DeleteFunc(slices.Clone(keys), func(k record.Key) bool { return !sqlite.Usable(k.Text) })
}

// Present is the linked entries of a place that are not known to be absent, also those out of scope, by
// number.
func (s *Store) Present(ctx context.Context, p record.Place, after int64, n int) ([]record.Entry, error) {
	return sqlite.List(ctx, s.db, "read linked entries", scanEntry, `SELECT `+Columns+` FROM entry e
		WHERE e.binding = ?1 AND e.side = ?2 AND e.link IS NOT NULL AND e.num > ?3 AND e.state NOT IN (`+sqlite.EntryMissed+`, `+sqlite.EntrySuspect+`, `+sqlite.EntryGone+`, `+sqlite.EntryStranger+`)
		ORDER BY e.num LIMIT ?4 + 0`, p.Binding, p.Side, after, n)
}

// Due is at most n entries of a place that must be read by id: suspects, and those
// whose time has come.
func (s *Store) Due(ctx context.Context, p record.Place, now time.Time, n int) ([]record.Entry, error) {
	return sqlite.List(ctx, s.db, "read due entries", scanEntry, `SELECT `+Columns+` FROM entry e WHERE e.num IN (
			SELECT num FROM entry WHERE binding = ?1 AND side = ?2 AND state <> '' AND state = `+sqlite.EntrySuspect+`
			UNION SELECT num FROM entry WHERE binding = ?1 AND side = ?2 AND recheck IS NOT NULL AND recheck <= ?3)
		ORDER BY e.num LIMIT ?4 + 0`, p.Binding, p.Side, now.UnixMilli(), n)
}

// Sample is n linked entries of a place drawn at random, all of them if there are
// fewer, by number; none that is absent, or may be, or has become another, or of which the
// file has damaged values.
func (s *Store) Sample(ctx context.Context, p record.Place, n int) ([]record.Entry, error) {
	for most := n; ; most *= 4 {
		drawn, found, err := s.sample(ctx, p, most)
		if err != nil {
			return nil, s.db.Explain("draw entries", err)
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
	found, err = sqlite.Collect(ctx, s.db.Reader, scanEntry, `SELECT `+Columns+` FROM entry e
		WHERE e.num IN (SELECT value FROM json_each(?1)) ORDER BY e.num`, sqlite.JSON(nums))
	return len(nums), slices.DeleteFunc(found, func(e record.Entry) bool { return e.Damaged != "" }), err
}

// drawable is what an entry must be to be drawn.
const drawable = `binding = ?1 AND side = ?2 AND link IS NOT NULL AND state NOT IN ` + sqlite.EntriesUnsure

// draw gives the numbers of n entries, each drawn as likely as the others. Where there
// are many, a number is drawn and the entry behind it taken, which is nearly that and
// doesn't read them all.
func (s *Store) draw(ctx context.Context, p record.Place, n int) ([]int64, error) {
	var last int64
	if err := s.db.Reader.QueryRowContext(ctx, `SELECT coalesce(max(num), 0) FROM entry`).Scan(&last); err != nil {
		return nil, err
	}
	var drawn []int64
	for range tries(last) {
		from := int64(s.db.Rand(int(last)))
		nums, err := sqlite.Collect(ctx, s.db.Reader, sqlite.Number, `SELECT num FROM entry NOT INDEXED WHERE num BETWEEN ?3 AND ?4 AND `+drawable+`
			ORDER BY num LIMIT 1`, p.Binding, p.Side, from, from+drawWithin)
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
	nums, err := sqlite.Collect(ctx, s.db.Reader, sqlite.Number, `SELECT num FROM entry WHERE `+drawable+` ORDER BY num`, p.Binding, p.Side)
	n = min(n, len(nums))
	for i := range n {
		j := i + s.db.Rand(len(nums)-i)
		nums[i], nums[j] = nums[j], nums[i]
	}
	return nums[:n], err
}

// Few is how many entries are read to draw some of them. Where there are more, numbers are drawn.
const Few = 1 << 16

// drawWithin is how many numbers behind the drawn one are looked through for an entry.
const drawWithin = 4096

// tries is how often a number is drawn before all entries are read: never where
// there are few.
func tries(last int64) int {
	if last < Few {
		return 0
	}
	return 100
}

// AsSettled reports whether every record of a place is linked, shows what was settled
// with it, and is there.
func (s *Store) AsSettled(ctx context.Context, p record.Place) (bool, error) {
	var other bool
	err := s.db.Reader.QueryRowContext(ctx, `SELECT
		EXISTS (SELECT 1 FROM entry WHERE binding = ?1 AND link IS NOT NULL AND (seen IS NOT NULL OR dirty = 1) AND side = ?2)
		OR EXISTS (SELECT 1 FROM entry WHERE binding = ?1 AND side = ?2 AND link IS NULL)
		OR EXISTS (SELECT 1 FROM entry WHERE binding = ?1 AND side = ?2 AND state <> '')`, p.Binding, p.Side).Scan(&other)
	return err == nil && !other, s.db.Explain("look for what is not as it was settled", err)
}

// ForgetVersions forgets which versions the records of a side of the lease's binding were settled with. Its system was
// put back to an older copy: the versions will come again, for other values.
func (s *Store) ForgetVersions(ctx context.Context, l record.Lease, side record.Side) error {
	return s.db.Lease(ctx, l, "forget versions", func(ctx context.Context, tx *sql.Tx) error {
		return sqlite.Exec(ctx, tx, `UPDATE entry SET base_version = '' WHERE binding = ?1 AND side = ?2 AND base_version <> ''`, l.Binding, side)
	})
}

// Missing lists linked entries of a place that the last complete scan did not show, or a
// read by id did not find, and that are not proven gone, by number.
func (s *Store) Missing(ctx context.Context, p record.Place, after int64, n int) ([]record.Entry, error) {
	return sqlite.List(ctx, s.db, "list what a scan did not show", scanEntry, `SELECT `+Columns+` FROM entry e
		WHERE e.state <> '' AND e.binding = ?1 AND e.side = ?2 AND e.state IN `+sqlite.EntriesMissing+` AND e.link IS NOT NULL AND e.num > ?3
		ORDER BY e.num LIMIT ?4 + 0`, p.Binding, p.Side, after, n)
}

// Lone is at most n entries of a place that have no link, after the number named,
// whatever their state.
func (s *Store) Lone(ctx context.Context, p record.Place, after int64, n int) ([]record.Entry, error) {
	return sqlite.List(ctx, s.db, "read lone entries", scanEntry, `SELECT `+Columns+` FROM entry e
		WHERE e.binding = ?1 AND e.side = ?2 AND e.link IS NULL AND e.num > ?3 ORDER BY e.num LIMIT ?4 + 0`, p.Binding, p.Side, after, n)
}
