package journal

import (
	"context"
	"database/sql"
	"time"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// Written returns the changes of a link that were settled at the time since or later, oldest first.
func (s *Store) Written(ctx context.Context, link record.LinkID, since time.Time) ([]record.Intent, error) {
	return sqlite.List(ctx, s.db, "read what was written", ScanIntent, `SELECT `+Columns+` FROM intent i
		WHERE i.link = ?1 AND i.state = `+sqlite.IntentSettled+` AND i.ended_at >= ?2 ORDER BY i.made, i.id`, link, since.UnixMilli())
}

// ChangesOf returns the changes that were made, or were to be made, to the link or to any of the entries, and the
// creates that were to be made from any of them, oldest first.
func (s *Store) ChangesOf(ctx context.Context, link record.LinkID, es []record.Entry) ([]Change, error) {
	return sqlite.List(ctx, s.db, "read changes", scanChange, `SELECT `+Columns+` FROM intent i WHERE i.id IN (
			SELECT id FROM intent WHERE link = ?1 AND ?1 <> 0
			UNION SELECT i2.id FROM json_each(?2) j CROSS JOIN intent i2 ON i2.kind = j.value ->> '$.kind' AND i2.ref = j.value ->> '$.id'
				AND i2.binding = j.value ->> '$.binding' AND i2.side = j.value ->> '$.side'
			UNION SELECT id FROM intent WHERE source IN (SELECT value ->> '$.num' FROM json_each(?2)))
		ORDER BY i.made, i.id`, link, sqlite.JSON(refsOf(es)))
}

// entryName is an entry in the form in which a query is given it.
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

// Change is one change in the journal: the intent, and the receipt once it is settled.
type Change struct {
	record.Intent
	Receipt *record.Receipt // nil: there is none
}

// Filter chooses changes. A field that is zero chooses all.
type Filter struct {
	Run     int64
	Link    record.LinkID
	Binding record.Binding
	Ref     record.Ref // changes of the record, and of the one that it is linked to
	Limit   int        // the newest ones; 0: all
}

// Changes returns the changes of the journal that the filter chooses, oldest first.
func (s *Store) Changes(ctx context.Context, f Filter) ([]Change, error) {
	limit := f.Limit
	if limit <= 0 {
		limit = -1
	}
	return sqlite.List(ctx, s.db, "read changes", scanChange, `SELECT * FROM (SELECT `+Columns+` FROM intent i
		WHERE (?1 = 0 OR i.run = ?1) AND (?2 = 0 OR i.link = ?2) AND (?3 = '' OR i.binding = ?3)
		AND (?5 = '' OR (i.kind = ?4 AND i.ref = ?5)
			OR i.source IN (SELECT num FROM entry WHERE kind = ?4 AND id = ?5)
			OR i.link IN (SELECT link FROM entry WHERE kind = ?4 AND id = ?5))
		ORDER BY i.made DESC, i.id DESC LIMIT ?6 + 0) ORDER BY made, id`,
		f.Run, f.Link, f.Binding, f.Ref.Kind, f.Ref.ID, limit)
}

const (
	day  = 24 * time.Hour
	week = 7 * day
)

// Spent returns the records that were written, or may have been, on each side of a binding in the last seven days,
// by risk. Each create makes another record, so creates are only counted: those of the last day, and those before.
// What a person let go is left out, and so is what a system refused.
func (s *Store) Spent(ctx context.Context, b record.Binding, now time.Time) ([]record.Spent, error) {
	return sqlite.List(ctx, s.db, "read what was written", func(rows *sql.Rows) (x record.Spent, err error) {
		err = rows.Scan(&x.Side, &x.Risk, &x.Name, &x.Count, sqlite.AsTime(&x.Last))
		return x, err
	}, `SELECT side, risk, CASE risk WHEN 'create' THEN '' ELSE kind || ':' || ref END AS name,
			CASE risk WHEN 'create' THEN count(*) ELSE 1 END, max(sent_at)
		FROM intent INDEXED BY intent_risk
		WHERE binding = ?1 AND risk <> '' AND sent_at IS NOT NULL AND sent_at > ?2
		AND (state IN `+sqlite.IntentsApplied+` OR state = `+sqlite.IntentCancelled+` AND class = 'linked') GROUP BY side, risk, name, CASE risk WHEN 'create' THEN sent_at > ?3 END`,
		b, now.Add(-week).UnixMilli(), now.Add(-day).UnixMilli())
}

// UndoneOn returns the run that put a field of a link back (run), and the run that it undid. Both are 0 if there
// is none, or if we wrote the field since.
func (s *Store) UndoneOn(ctx context.Context, link record.LinkID, field string) (run, undid int64, err error) {
	err = s.db.Reader.QueryRowContext(ctx, `SELECT r.id, r.undoes FROM intent i JOIN run r ON r.id = i.run
		WHERE i.link = ?1 AND i.state = `+sqlite.IntentSettled+` AND EXISTS (SELECT 1 FROM json_each(i.fields) f WHERE f.value ->> '$.field' = ?2)
		ORDER BY i.ended_at DESC, i.id DESC LIMIT 1`, link, field).Scan(&run, &undid)
	if sqlite.IsNone(err) || err == nil && undid == 0 {
		return 0, 0, nil
	}
	return run, undid, s.db.Explain("read what was undone", err)
}
