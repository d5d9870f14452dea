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

// ReadAgain asks the next run to read the record of an entry by its id. It needs no lease: a person decides while
// jobs run.
func (s *Store) ReadAgain(ctx context.Context, b record.Binding, num int64, now time.Time) error {
	return s.db.Write(ctx, "ask for a record to be read", func(ctx context.Context, tx *sql.Tx) error {
		return sqlite.One(ctx, tx, sqlite.Unknown("entry %d of job %s", num, b),
			`UPDATE entry SET recheck = ?3, listed = NULL WHERE num = ?1 AND binding = ?2`, num, b, now.UnixMilli())
	})
}

// EntriesByID returns all entries for this record id, of all bindings and both sides.
func (s *Store) EntriesByID(ctx context.Context, id string) ([]record.Entry, error) {
	return sqlite.List(ctx, s.db, "read entries of an id", scanEntry, `SELECT `+Columns+` FROM binding b
		CROSS JOIN (SELECT 0 AS side UNION ALL SELECT 1) d
		CROSS JOIN entry e ON e.binding = b.binding AND e.side = d.side AND e.id = ?1 ORDER BY e.num`, id)
}

// EntriesLike returns at most n entries of a binding that may hold all words: the letters and digits of each word
// stand in their order in the entry's values. The caller has to look more closely at what is found. Values that
// are kept as digests are never found.
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

// likePattern turns a word into a pattern for LIKE; "" if it has no ASCII letter and no digit. SQLite knows upper
// and lower case of ASCII letters alone, so any other letter matches anything. In a word without letters anything
// may stand between the digits: 12345 finds 12 3-45.
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

// SentOnly returns the native paths of a record for which only the sent value is known: no answer and no read has
// shown them since.
func (s *Store) SentOnly(ctx context.Context, num int64) ([]string, error) {
	r, _, err := sqlite.First(Where(ctx, s.db.Reader, `e.num = ?1`, num))
	if err != nil || r == nil {
		return nil, s.db.Explain("look what was only sent", err)
	}
	return slices.DeleteFunc(r.paths, func(p string) bool { _, answered := pathOf(p); return answered }), nil
}

// Unlinked returns at most n entries of a place, after the number given, that have no link and might get one: they
// are in step, waiting, held or attached, or marked dirty. It leaves out records that are absent or can't be read:
// nothing is decided by what they held before.
func (s *Store) Unlinked(ctx context.Context, p record.Place, after int64, n int) ([]record.Entry, error) {
	return sqlite.List(ctx, s.db, "read unlinked entries", scanEntry, `SELECT `+Columns+` FROM entry e
		WHERE e.binding = ?1 AND e.side = ?2 AND e.link IS NULL AND e.num > ?3
		AND (e.state IN ('', `+sqlite.EntryWaiting+`, `+sqlite.EntryHeld+`, `+sqlite.EntryAttached+`) OR e.dirty = 1) AND e.state NOT IN `+sqlite.EntriesAbsent+`
		AND (e.seen IS NOT NULL OR e.base IS NOT NULL)
		AND NOT (e.state = `+sqlite.EntryQuarantined+` AND EXISTS (SELECT 1 FROM quarantine q WHERE q.entry = e.num))
		ORDER BY e.num LIMIT ?4 + 0`, p.Binding, p.Side, after, n)
}

// UnlinkedSince returns all entries of a place without a link that were first seen at the time since or later,
// also those that were put aside, or are absent or gone.
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

// AnyUnlinked reports whether any entry of a place without a link is in a state. It can't be asked about InStep,
// the state without a name.
func (s *Store) AnyUnlinked(ctx context.Context, p record.Place, state record.EntryState) (bool, error) {
	var some bool
	err := s.db.Reader.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM entry WHERE binding = ?1 AND side = ?2
		AND state <> '' AND state = ?3 AND link IS NULL)`, p.Binding, p.Side, string(state)).Scan(&some)
	return some, s.db.Explain("look for entries of a state", err)
}

// Illegible returns at most n entries of a place, by number, that have no link and that the last read could not
// make sense of. Records that are proven not to be there are left out.
func (s *Store) Illegible(ctx context.Context, p record.Place, n int) ([]record.Entry, error) {
	return sqlite.List(ctx, s.db, "read entries that can't be read", scanEntry, `SELECT `+Columns+` FROM quarantine q CROSS JOIN entry e ON e.num = q.entry
		WHERE q.binding = ?1 AND q.side = ?2 AND e.link IS NULL AND e.state NOT IN `+sqlite.EntriesAway+`
		ORDER BY e.num LIMIT ?3 + 0`, p.Binding, p.Side, n)
}

// Entries returns the entries with these numbers, by number. Unknown numbers are missing from the result.
func (s *Store) Entries(ctx context.Context, nums []int64) (map[int64]record.Entry, error) {
	found, err := sqlite.Collect(ctx, s.db.Reader, scanEntry, `SELECT `+Columns+` FROM entry e
		WHERE e.num IN (SELECT value FROM json_each(?1))`, sqlite.JSON(nums))
	out := make(map[int64]record.Entry, len(found))
	for i := range found {
		out[found[i].Num] = found[i]
	}
	return out, s.db.Explain("read entries", err)
}

// LinkedQuery is the statement of Linked. It sets the order of its joins as holdsKey does.
const LinkedQuery = `SELECT j.key, e.kind, e.id FROM json_each(?3) j
	CROSS JOIN entry_key k ON k.binding = ?1 AND k.side = ?2 AND k.name = j.value ->> '$.name' AND k.text = j.value ->> '$.text'
	CROSS JOIN entry e ON e.num = k.entry
	WHERE e.link IS NOT NULL AND e.state NOT IN ` + sqlite.EntriesAway + ` ORDER BY e.num`

// Linked returns the linked records that hold each key, by the numbers of their entries. Like Matching, it leaves
// out records that are proven not to be there. A key that no linked record holds is missing from the result.
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

// holdsKey chooses the entries e that hold any of some match keys. CROSS JOIN makes SQLite begin with the few keys
// and look each up in the index. Otherwise it would read all keys of a side for each question.
const holdsKey = `e.num IN (SELECT k.entry FROM json_each(?3) j CROSS JOIN entry_key k
		ON k.binding = ?1 AND k.side = ?2 AND k.name = j.value ->> '$.name' AND k.text = j.value ->> '$.text')`

// MatchingQuery is the statement of Matching.
const MatchingQuery = `SELECT ` + Columns + ` FROM entry e
	WHERE ` + holdsKey + `
	AND e.state NOT IN ` + sqlite.EntriesAway + ` ORDER BY e.num`

// Matching returns the entries of a place that hold any of the keys, linked or not, by number. Records that are
// proven not to be there (gone, or out of scope) are left out. A record that can't be read counts with the keys
// that were read last.
func (s *Store) Matching(ctx context.Context, p record.Place, keys []record.Key) ([]record.Entry, error) {
	return s.byKeys(ctx, "read matching entries", MatchingQuery, p, keys)
}

// Outside returns the entries of a place that have no link, lie outside of its window or filter, and held any of
// the keys when they were last read, by number.
func (s *Store) Outside(ctx context.Context, p record.Place, keys []record.Key) ([]record.Entry, error) {
	return s.byKeys(ctx, "read entries outside", `SELECT `+Columns+` FROM entry e
		WHERE `+holdsKey+`
		AND e.state = `+sqlite.EntryOutOfScope+` AND e.link IS NULL ORDER BY e.num`, p, keys)
}

// Superseded returns entries of a place that have no link and hold any of the keys, by number. A newer version
// took the place of each, and a create that was sent from it was given up. If a record across has such a key, that
// create made it, later than anybody waited for.
func (s *Store) Superseded(ctx context.Context, p record.Place, keys []record.Key) ([]record.Entry, error) {
	return s.byKeys(ctx, "read superseded entries", `SELECT `+Columns+` FROM entry e
		WHERE `+holdsKey+`
		AND e.link IS NULL AND e.state = `+sqlite.EntryGone+`
		AND EXISTS (SELECT 1 FROM tombstone t WHERE t.entry = e.num AND t.evidence = 'replaced')
		AND EXISTS (SELECT 1 FROM intent i WHERE i.source = e.num AND i.state = `+sqlite.IntentCancelled+` AND i.sent_at IS NOT NULL)
		ORDER BY e.num`, p, keys)
}

// byKeys returns the entries that a query with holdsKey finds.
func (s *Store) byKeys(ctx context.Context, doing, query string, p record.Place, keys []record.Key) ([]record.Entry, error) {
	keys = usableKeys(keys)
	if len(keys) == 0 {
		return nil, nil
	}
	found, err := sqlite.Collect(ctx, s.db.Reader, scanEntry, query, p.Binding, p.Side, sqlite.JSON(s.db.SealOf(p.Binding).Keys(keys)))
	return found, s.db.Explain(doing, err)
}

// usableKeys returns the keys by which an entry can be looked up.
func usableKeys(keys []record.Key) []record.Key {
	return slices.DeleteFunc(slices.Clone(keys), func(k record.Key) bool { return !sqlite.Usable(k.Text) })
}

// Present returns at most n linked entries of a place, after the number given and by number, that are not known to
// be absent. Records out of scope are included. Missing records, and ids that name another record now, are not.
func (s *Store) Present(ctx context.Context, p record.Place, after int64, n int) ([]record.Entry, error) {
	return sqlite.List(ctx, s.db, "read linked entries", scanEntry, `SELECT `+Columns+` FROM entry e
		WHERE e.binding = ?1 AND e.side = ?2 AND e.link IS NOT NULL AND e.num > ?3 AND e.state NOT IN (`+sqlite.EntryMissed+`, `+sqlite.EntrySuspect+`, `+sqlite.EntryGone+`, `+sqlite.EntryStranger+`)
		ORDER BY e.num LIMIT ?4 + 0`, p.Binding, p.Side, after, n)
}

// Due returns at most n entries of a place that must be read by id: suspects, and entries with a time of Recheck
// that has come.
func (s *Store) Due(ctx context.Context, p record.Place, now time.Time, n int) ([]record.Entry, error) {
	return sqlite.List(ctx, s.db, "read due entries", scanEntry, `SELECT `+Columns+` FROM entry e WHERE e.num IN (
			SELECT num FROM entry WHERE binding = ?1 AND side = ?2 AND state <> '' AND state = `+sqlite.EntrySuspect+`
			UNION SELECT num FROM entry WHERE binding = ?1 AND side = ?2 AND recheck IS NOT NULL AND recheck <= ?3)
		ORDER BY e.num LIMIT ?4 + 0`, p.Binding, p.Side, now.UnixMilli(), n)
}

// Sample returns n linked entries of a place, drawn at random, by number; all of them if there are fewer. It draws
// no record that is or may be absent, no id that names another record now, and no entry with damaged values.
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

// sample draws at most n entries. It returns how many it drew, and those of them that are not damaged.
func (s *Store) sample(ctx context.Context, p record.Place, n int) (drawn int, found []record.Entry, err error) {
	nums, err := s.draw(ctx, p, n)
	if err != nil {
		return 0, nil, err
	}
	found, err = sqlite.Collect(ctx, s.db.Reader, scanEntry, `SELECT `+Columns+` FROM entry e
		WHERE e.num IN (SELECT value FROM json_each(?1)) ORDER BY e.num`, sqlite.JSON(nums))
	return len(nums), slices.DeleteFunc(found, func(e record.Entry) bool { return e.Damaged != "" }), err
}

// drawable is the condition for an entry that may be drawn.
const drawable = `binding = ?1 AND side = ?2 AND link IS NOT NULL AND state NOT IN ` + sqlite.EntriesUnsure

// draw returns the numbers of n entries. Each entry is as likely to be drawn as any other. Where there are many,
// it draws a number and takes the next entry from there on: that is nearly as fair, and does not read all entries.
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

// Few is the number of entries below which all of them are read to draw some. Where there are more, numbers are
// drawn.
const Few = 1 << 16

// drawWithin is how many numbers after the drawn one are searched for an entry.
const drawWithin = 4096

// tries returns how often a number is drawn before all entries are read instead; 0 where there are few entries.
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

// ForgetVersions forgets with which versions the records of a side of the lease's binding were settled. Its system
// was put back to an older copy: the same versions will come again, with other values.
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

// Lone returns at most n entries of a place without a link, after the number given, in any state.
func (s *Store) Lone(ctx context.Context, p record.Place, after int64, n int) ([]record.Entry, error) {
	return sqlite.List(ctx, s.db, "read lone entries", scanEntry, `SELECT `+Columns+` FROM entry e
		WHERE e.binding = ?1 AND e.side = ?2 AND e.link IS NULL AND e.num > ?3 ORDER BY e.num LIMIT ?4 + 0`, p.Binding, p.Side, after, n)
}
