package state

import (
	"context"
	"database/sql"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"nightporter/sync/record"
)

// EntriesByID is the entries of all bindings whose record has that id.
func (s *Store) EntriesByID(ctx context.Context, id string) ([]record.Entry, error) {
	found, err := collect(ctx, s.reader, scanEntry, `SELECT `+entryColumns+` FROM binding b
		CROSS JOIN (SELECT 0 AS side UNION ALL SELECT 1) d
		CROSS JOIN entry e ON e.binding = b.binding AND e.side = d.side AND e.id = ?1 ORDER BY e.num`, id)
	return found, s.explain("read entries of an id", err)
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
	list, err := json.Marshal(patterns)
	if err != nil {
		return nil, s.explain("look for entries", err)
	}
	found, err := collect(ctx, s.reader, scanEntry, `SELECT `+entryColumns+` FROM entry e
		WHERE e.binding = ?1 AND NOT EXISTS (SELECT 1 FROM json_each(?2) w
			WHERE coalesce(e.base, '') NOT LIKE w.value AND coalesce(e.seen, '') NOT LIKE w.value)
		ORDER BY e.num LIMIT ?3 + 0`, b, string(list), n)
	return found, s.explain("look for entries", err)
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

// OpenDigests lets entries of bindings be found by their match keys whose values are
// kept as digests. It writes nothing.
func (s *Store) OpenDigests(ctx context.Context, file string, bindings []record.Binding) error {
	var known bool
	err := s.reader.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM setting WHERE binding = '' AND name = ?1)`, keySetting).Scan(&known)
	if err != nil {
		return s.explain("read settings", err)
	}
	if !known || len(bindings) == 0 || s.seals.Load() != nil {
		return nil
	}
	key, err := s.key(ctx, file)
	if err != nil {
		return err
	}
	seals := make(map[record.Binding]seal, len(bindings))
	for _, b := range bindings {
		seals[b] = seal{on: true, key: key}
	}
	s.seals.Store(&seals)
	return nil
}

// LinkAt is when a link was made, and how it stands; false if there is none.
func (s *Store) LinkAt(ctx context.Context, link record.LinkID) (made time.Time, st record.LinkState, ok bool, err error) {
	var at sql.NullInt64
	err = s.reader.QueryRowContext(ctx, `SELECT made, state FROM link WHERE id = ?1`, link).Scan(&at, &st)
	if isNone(err) {
		return made, st, false, nil
	}
	return instant(at), st, err == nil, s.explain("read link", err)
}

// Run is the run of that number; false if there is none.
func (s *Store) Run(ctx context.Context, id int64) (record.Run, bool, error) {
	r, ok, err := first(collect(ctx, s.reader, scanRun, `SELECT id, binding, started, ended, dry, outcome, error, counts, config, undoes
		FROM run WHERE id = ?1`, id))
	return r, ok, s.explain("read run", err)
}

// ChangesOf is the changes that were made, or were to be made, to any of the entries,
// to their link, or from them, oldest first.
func (s *Store) ChangesOf(ctx context.Context, link record.LinkID, es []record.Entry) ([]Change, error) {
	list, err := json.Marshal(refsOf(es))
	if err != nil {
		return nil, s.explain("read changes", err)
	}
	found, err := collect(ctx, s.reader, scanChange, `SELECT `+intentColumns+` FROM intent i WHERE i.id IN (
			SELECT id FROM intent WHERE link = ?1 AND ?1 <> 0
			UNION SELECT i2.id FROM json_each(?2) j CROSS JOIN intent i2 ON i2.kind = j.value ->> '$.kind' AND i2.ref = j.value ->> '$.id'
				AND i2.binding = j.value ->> '$.binding' AND i2.side = j.value ->> '$.side'
			UNION SELECT id FROM intent WHERE source IN (SELECT value ->> '$.num' FROM json_each(?2)))
		ORDER BY i.made, i.id`, link, string(list))
	return found, s.explain("read changes", err)
}

// entryName is an entry as a query is told of it.
type entryName struct {
	Num     int64          `json:"num"`
	Binding record.Binding `json:"binding"`
	Side    record.Side    `json:"side"`
	Kind    record.Kind    `json:"kind"`
	ID      string         `json:"id"`
}

func refsOf(es []record.Entry) []entryName {
	out := make([]entryName, len(es))
	for i, e := range es {
		out[i] = entryName{e.Num, e.Place.Binding, e.Place.Side, e.Ref.Kind, e.Ref.ID}
	}
	return out
}

// ConflictsOf is the conflicts of a link and of entries, open and closed, oldest
// first.
func (s *Store) ConflictsOf(ctx context.Context, link record.LinkID, nums []int64) ([]record.Conflict, error) {
	list, err := json.Marshal(nums)
	if err != nil {
		return nil, s.explain("read conflicts", err)
	}
	found, err := collect(ctx, s.reader, scanConflict, `SELECT `+conflictColumns+` FROM conflict
		WHERE (link = ?1 AND ?1 <> 0) OR (entry <> 0 AND entry IN (SELECT value FROM json_each(?2))) ORDER BY id`, link, string(list))
	return found, s.explain("read conflicts", err)
}

// AlertsOf is the alerts about entries, oldest first.
func (s *Store) AlertsOf(ctx context.Context, nums []int64) ([]record.Alert, error) {
	list, err := json.Marshal(nums)
	if err != nil {
		return nil, s.explain("read alerts", err)
	}
	scan := func(rows *sql.Rows) (a record.Alert, err error) {
		var at sql.NullInt64
		err = rows.Scan(&a.ID, &a.Binding, &a.Run, &a.Entry, &a.Kind, &a.Text, &at)
		a.At = instant(at)
		return a, err
	}
	found, err := collect(ctx, s.reader, scan, `SELECT id, binding, run, entry, kind, text, at FROM alert
		WHERE entry <> 0 AND entry IN (SELECT value FROM json_each(?1)) ORDER BY at, id`, string(list))
	return found, s.explain("read alerts", err)
}

// WaitsOf is what entries wait for.
func (s *Store) WaitsOf(ctx context.Context, nums []int64) ([]record.Wait, error) {
	list, err := json.Marshal(nums)
	if err != nil {
		return nil, s.explain("read waits", err)
	}
	scan := func(rows *sql.Rows) (w record.Wait, err error) {
		var since sql.NullInt64
		err = rows.Scan(&w.Entry, &w.Binding, &w.Side, &w.Ref.Kind, &w.Ref.ID, &since)
		w.Since = instant(since)
		return w, err
	}
	found, err := collect(ctx, s.reader, scan, `SELECT w.entry, w.on_binding, w.on_side, w.on_kind, w.on_id, w.since FROM wait w
		LEFT JOIN entry e ON e.binding = w.on_binding AND e.side = w.on_side AND e.id = w.on_id AND e.kind = w.on_kind
		WHERE w.entry IN (SELECT value FROM json_each(?1)) AND e.link IS NULL ORDER BY w.since`, string(list))
	return found, s.explain("read waits", err)
}

// SentOnly is the native paths of a record whose value is only what was sent: neither an answer
// nor a read has shown them since.
func (s *Store) SentOnly(ctx context.Context, num int64) ([]string, error) {
	r, _, err := first(rowsWhere(ctx, s.reader, `e.num = ?1`, num))
	if err != nil || r == nil {
		return nil, s.explain("look what was only sent", err)
	}
	return slices.DeleteFunc(r.paths, func(p string) bool { _, answered := pathOf(p); return answered }), nil
}

// Trace is what was noted of a record beside its changes: that a guard holds one
// back, that what was refused was asked again, that it is gone or can't be read.
type Trace struct {
	Kind string // "staged", "asked again", "gone" or "quarantined"
	Side record.Side
	At   time.Time
	Run  int64
	Name string // the digest of the stage, what proved that it is gone, or who had it asked again
	Why  string
	Till time.Time // asked again: when a person wanted to hear no more of it
	Over bool      // it holds no more

	Decision record.Decision // staged: what a person said
	By       string          // staged: who that was
}

const traceQuery = `
	SELECT 'staged', s.side, s.at, s.run, s.digest, s.why, NULL, s.ended IS NOT NULL OR t.state <> '', s.decision, s.who FROM staged t JOIN stage s ON s.digest = t.stage
		WHERE (t.link = ?1 AND ?1 <> 0) OR (t.entry <> 0 AND t.entry IN (SELECT value FROM json_each(?2)))
	UNION ALL SELECT 'asked again', side, at, 0, who, '', dismissed, 1, '', '' FROM forgiven
		WHERE binding = ?3 AND ((link = ?1 AND ?1 <> 0) OR (entry <> 0 AND entry IN (SELECT value FROM json_each(?2))))
	UNION ALL SELECT 'gone', side, at, run, evidence, why, NULL, 1, '', '' FROM tombstone
		WHERE entry IN (SELECT value FROM json_each(?2))
	UNION ALL SELECT 'quarantined', side, since, 0, '', problem, NULL, 0, '', '' FROM quarantine
		WHERE entry IN (SELECT value FROM json_each(?2))
	ORDER BY 3`

// TracesOf is the traces of a link and of entries, oldest first.
func (s *Store) TracesOf(ctx context.Context, b record.Binding, link record.LinkID, nums []int64) ([]Trace, error) {
	list, err := json.Marshal(nums)
	if err != nil {
		return nil, s.explain("read traces", err)
	}
	scan := func(rows *sql.Rows) (t Trace, err error) {
		var at, next sql.NullInt64
		err = rows.Scan(&t.Kind, &t.Side, &at, &t.Run, &t.Name, &t.Why, &next, &t.Over, &t.Decision, &t.By)
		t.At, t.Till = instant(at), instant(next)
		return t, err
	}
	found, err := collect(ctx, s.reader, scan, traceQuery, link, string(list), b)
	return found, s.explain("read traces", err)
}

// RejectionsOf is the changes to a link that persons rejected, the latest first.
func (s *Store) RejectionsOf(ctx context.Context, link record.LinkID) ([]record.Rejection, error) {
	scan := func(rows *sql.Rows) (x record.Rejection, err error) {
		var after string
		if err = rows.Scan(&x.Set, &x.By, &x.Side, &after); err != nil {
			return x, err
		}
		var fields map[string]json.RawMessage
		err = decode(after, &fields)
		x.Paths = slices.Sorted(maps.Keys(fields))
		return x, err
	}
	found, err := collect(ctx, s.reader, scan, `SELECT s.digest, s.who, s.side, t.after FROM staged t JOIN stage s ON s.digest = t.stage
		WHERE t.link = ?1 AND ?1 <> 0 AND t.state = '' AND s.decision = '`+string(record.Refusal)+`' ORDER BY s.decided DESC`, link)
	return found, s.explain("read what persons rejected", err)
}
