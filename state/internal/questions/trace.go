package questions

import (
	"context"
	"database/sql"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"nightporter/state/internal/asked"
	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// QuestionsOf returns the questions about a link and about entries, open and closed, oldest first.
func (s *Store) QuestionsOf(ctx context.Context, link record.LinkID, nums []int64) ([]record.Question, error) {
	return sqlite.List(ctx, s.db, "read questions", asked.Scan, `SELECT `+asked.Columns+` FROM question
		WHERE (link = ?1 AND ?1 <> 0) OR (entry <> 0 AND entry IN (SELECT value FROM json_each(?2))) ORDER BY id`, link, sqlite.JSON(nums))
}

// Trace is one thing that was noted of a record beside its changes: a guard holds a change back, what was refused
// was asked for again, or the record is gone or can't be read.
type Trace struct {
	Kind string // "staged", "asked again", "gone" or "quarantined"
	Side record.Side
	At   time.Time
	Run  int64
	Name string // the digest of the set, what proved that the record is gone, or who had a refused change asked again
	Why  string
	Till time.Time // asked again: when a person wanted to hear no more of the refusal
	Over bool      // the trace holds no more

	Decision record.Choice // staged: what a person said
	By       string        // staged: who that was
}

const traceQuery = `
	SELECT 'staged', s.side, s.opened, s.run, s.held, s.why, NULL, s.closed IS NOT NULL OR t.state <> '', s.choice, s.who FROM member t JOIN question s ON s.id = t.question
		WHERE (t.link = ?1 AND ?1 <> 0) OR (t.entry <> 0 AND t.entry IN (SELECT value FROM json_each(?2)))
	UNION ALL SELECT 'asked again', side, at, 0, who, '', dismissed, 1, '', '' FROM forgiven
		WHERE binding = ?3 AND ((link = ?1 AND ?1 <> 0) OR (entry <> 0 AND entry IN (SELECT value FROM json_each(?2))))
	UNION ALL SELECT 'gone', side, at, run, evidence, why, NULL, 1, '', '' FROM tombstone
		WHERE entry IN (SELECT value FROM json_each(?2))
	UNION ALL SELECT 'quarantined', side, since, 0, '', problem, NULL, 0, '', '' FROM quarantine
		WHERE entry IN (SELECT value FROM json_each(?2))
	ORDER BY 3`

// TracesOf returns the traces of a link and of entries, oldest first.
func (s *Store) TracesOf(ctx context.Context, b record.Binding, link record.LinkID, nums []int64) ([]Trace, error) {
	scan := func(rows *sql.Rows) (t Trace, err error) {
		err = rows.Scan(&t.Kind, &t.Side, sqlite.AsTime(&t.At), &t.Run, &t.Name, &t.Why, sqlite.AsTime(&t.Till), &t.Over, &t.Decision, &t.By)
		return t, err
	}
	return sqlite.List(ctx, s.db, "read traces", scan, traceQuery, link, sqlite.JSON(nums), b)
}

// RejectionsOf returns the changes to a link that persons rejected, the latest first.
func (s *Store) RejectionsOf(ctx context.Context, link record.LinkID) ([]record.Rejection, error) {
	scan := func(rows *sql.Rows) (x record.Rejection, err error) {
		var after string
		if err = rows.Scan(&x.Set, &x.By, &x.Side, &after); err != nil {
			return x, err
		}
		var fields map[string]json.RawMessage
		err = sqlite.Decode(after, &fields)
		x.Paths = slices.Sorted(maps.Keys(fields))
		return x, err
	}
	return sqlite.List(ctx, s.db, "read what persons rejected", scan, `SELECT s.held, s.who, s.side, t.after FROM member t JOIN question s ON s.id = t.question
		WHERE t.link = ?1 AND ?1 <> 0 AND t.state = '' AND s.choice = '`+string(record.Refusal)+`' AND `+askedLast+` ORDER BY s.chosen DESC`, link)
}
