package state

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"nightporter/sync/record"
)

// Ended is the last full scans of a place that came to their end, newest first.
func (s *Store) Ended(ctx context.Context, p record.Place, n int) ([]record.EndedScan, error) {
	found, err := s.Scans(ctx, p, n)
	out := make([]record.EndedScan, 0, len(found))
	for _, f := range found {
		out = append(out, record.EndedScan{
			Scan:        f.Scan,
			Certificate: record.Certificate{Ended: f.Ended, Complete: f.Complete, Flaws: f.Flaws},
		})
	}
	return out, err
}

// EntryChoice is what a person decided about an entry that is held; false if
// nobody did.
func (s *Store) EntryChoice(ctx context.Context, num int64) (record.Conflict, bool, error) {
	c, ok, err := first(collect(ctx, s.reader, scanConflict, `SELECT `+conflictColumns+` FROM conflict
		WHERE entry = ?1 AND closed IS NULL AND choice <> ''`, num))
	return c, ok, s.explain("read choice", err)
}

// Created is the creates on a side that were settled since a moment, oldest first.
func (s *Store) Created(ctx context.Context, p record.Place, since time.Time) ([]record.Intent, error) {
	found, err := collect(ctx, s.reader, scanIntent, `SELECT `+intentColumns+` FROM intent i
		WHERE i.ended_at >= ?3 AND i.binding = ?1 AND i.side = ?2 AND i.state = 'settled'
		AND i.change ->> '$.op' = 'create' ORDER BY i.made, i.id`, p.Binding, p.Side, since.UnixMilli())
	return found, s.explain("read creates", err)
}

// lostQuery names the states of the index that it goes by.
const lostQuery = `SELECT ` + intentColumns + ` FROM intent i
	WHERE i.binding = ?1 AND i.state IN ('prepared', 'sent', 'held') AND i.state = 'held' ORDER BY i.made, i.id`

// Lost is the changes of which nobody can know what became: a person decides.
func (s *Store) Lost(ctx context.Context, b record.Binding) ([]record.Intent, error) {
	found, err := collect(ctx, s.reader, scanIntent, lostQuery, b)
	return found, s.explain("read lost changes", err)
}

// rejectedQuery reads the journal once for the last word on each entry: asked for
// each refusal, a first night with thousands of them would never end.
const rejectedQuery = `WITH last AS MATERIALIZED (
		SELECT side, source, max(printf('%020d', made) || id) AS word FROM intent
		WHERE binding = ?1 AND source IS NOT NULL AND state IN ('rejected', 'settled') GROUP BY side, source)
	SELECT ` + intentColumns + ` FROM intent i LEFT JOIN last ON last.side = i.side AND last.source = i.source
	WHERE i.binding = ?1 AND i.state = 'rejected'
	AND (i.source IS NULL OR last.word = printf('%020d', i.made) || i.id)
	AND NOT EXISTS (SELECT 1 FROM intent n WHERE n.link = i.link AND n.binding = i.binding AND n.side = i.side
		AND n.state IN ('rejected', 'settled') AND (n.made, n.id) > (i.made, i.id))
	ORDER BY i.made, i.id`

// RejectedLast is, for each link and each entry of a binding, the last change that
// a system said no to, if none was settled after it. A create that was settled has a
// link by then, so creates are told by the entry they were made from.
func (s *Store) RejectedLast(ctx context.Context, b record.Binding) ([]record.Intent, error) {
	found, err := collect(ctx, s.reader, scanIntent, rejectedQuery, b)
	return found, s.explain("read refusals", err)
}

// Alerted reports whether an entry was told about under that name before.
func (s *Store) Alerted(ctx context.Context, b record.Binding, entry int64, kind string) (bool, error) {
	var yes bool
	err := s.reader.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM alert
		WHERE binding = ?1 AND entry = ?2 AND kind = ?3)`, b, entry, kind).Scan(&yes)
	return yes, s.explain("read alerts", err)
}

// Awaited is the records that any entry waits for and that have no link yet.
func (s *Store) Awaited(ctx context.Context) ([]record.Wait, error) {
	scan := func(rows *sql.Rows) (w record.Wait, err error) {
		err = rows.Scan(&w.Binding, &w.Side, &w.Ref.Kind, &w.Ref.ID)
		return w, err
	}
	found, err := collect(ctx, s.reader, scan, `SELECT DISTINCT w.on_binding, w.on_side, w.on_kind, w.on_id
		FROM wait w JOIN entry e ON e.binding = w.on_binding AND e.side = w.on_side AND e.id = w.on_id
		AND e.kind = w.on_kind AND e.link IS NULL ORDER BY 1, 2, 3, 4`)
	return found, s.explain("read waits", err)
}

// keptPlans is how many plans are remembered by their digest.
const keptPlans = 20

// keptPlan is a plan as it is remembered.
type keptPlan struct {
	At      int64    `json:"at"`
	Actions []string `json:"actions"`
}

// KeepPlan remembers the actions of a plan under its digest, so that just these
// can be applied later.
func (s *Store) KeepPlan(ctx context.Context, digest string, actions []string, now time.Time) error {
	text, err := json.Marshal(keptPlan{At: now.UnixMilli(), Actions: actions})
	if err != nil {
		return s.explain("keep plan", err)
	}
	return s.write(ctx, "keep plan", func(ctx context.Context, tx *sql.Tx) error {
		err := exec(ctx, tx, `INSERT INTO setting (name, value) VALUES (?1, ?2)
			ON CONFLICT (binding, name) DO UPDATE SET value = excluded.value`, "plan:"+digest, string(text))
		if err != nil {
			return err
		}
		return exec(ctx, tx, `DELETE FROM setting WHERE name LIKE 'plan:%' AND name NOT IN (
			SELECT name FROM setting WHERE name LIKE 'plan:%' ORDER BY value ->> '$.at' DESC, name LIMIT ?1)`, keptPlans)
	})
}

// Plan is the actions of a plan that was kept.
func (s *Store) Plan(ctx context.Context, digest string) (map[string]bool, error) {
	var text string
	err := s.reader.QueryRowContext(ctx, `SELECT value FROM setting WHERE name = ?1`, "plan:"+digest).Scan(&text)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("there is no plan %s: run `nightporter plan`, it prints the digest", digest)
	}
	if err != nil {
		return nil, s.explain("read plan", err)
	}
	var kept keptPlan
	if err := json.Unmarshal([]byte(text), &kept); err != nil {
		return nil, s.explain("read plan", err)
	}
	out := make(map[string]bool, len(kept.Actions))
	for _, a := range kept.Actions {
		out[a] = true
	}
	return out, nil
}
