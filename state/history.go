package state

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
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

// LeftOut is the entries of a binding of which a person said to leave them out when they answered
// last, carried out or not, each with what that question rested on. A question that nobody has
// answered changes nothing.
func (s *Store) LeftOut(ctx context.Context, b record.Binding) (map[int64]string, error) {
	asked, err := collect(ctx, s.reader, scanConflict, `SELECT `+conflictColumns+` FROM conflict c
		WHERE binding = ?1 AND link = 0 AND entry <> 0 AND choice <> ''
		AND NOT EXISTS (SELECT 1 FROM conflict n WHERE n.entry = c.entry AND n.link = 0 AND n.id > c.id AND n.choice <> '')`, b)
	if err != nil {
		return nil, s.explain("read what was left out", err)
	}
	out := map[int64]string{}
	for _, c := range asked {
		if c.Value.Text() == "leave" {
			out[c.Entry] = c.Facts
		}
	}
	return out, nil
}

// Created is the creates on a side that were settled since a moment, oldest first.
func (s *Store) Created(ctx context.Context, p record.Place, since time.Time) ([]record.Intent, error) {
	found, err := collect(ctx, s.reader, scanIntent, `SELECT `+intentColumns+` FROM intent i
		WHERE i.ended_at >= ?3 AND i.binding = ?1 AND i.side = ?2 AND i.state = 'settled'
		AND CASE WHEN json_valid(i.change) THEN i.change ->> '$.op' END = 'create' ORDER BY i.made, i.id`, p.Binding, p.Side, since.UnixMilli())
	return found, s.explain("read creates", err)
}

// Made is the links of the records that were created on a side since then, and when
// their creation was settled.
func (s *Store) Made(ctx context.Context, p record.Place, since time.Time) ([]record.Made, error) {
	scan := func(rows *sql.Rows) (m record.Made, err error) {
		var ended sql.NullInt64
		err = rows.Scan(&m.Link, &ended)
		m.At = instant(ended)
		return m, err
	}
	found, err := collect(ctx, s.reader, scan, `SELECT i.link, i.ended_at FROM intent i
		WHERE i.ended_at >= ?3 AND i.binding = ?1 AND i.side = ?2 AND i.state = 'settled' AND i.link IS NOT NULL
		AND CASE WHEN json_valid(i.change) THEN i.change ->> '$.op' END = 'create' ORDER BY i.made, i.id`, p.Binding, p.Side, since.UnixMilli())
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

// refusalQuery begins with what was refused, by its index: mostly that is nothing. It reads
// the journal once for the last success of each entry, and not at all if no create was
// refused: asked for each refusal, a first night with thousands of them would never end. Of a
// link that was refused something it gives what was settled too.
const refusalQuery = `WITH unmade AS MATERIALIZED (SELECT 1 FROM intent INDEXED BY intent_rejected
		WHERE binding = ?1 AND state = 'rejected' AND link IS NULL AND source IS NOT NULL LIMIT 1),
	done AS MATERIALIZED (
		SELECT side, source, max(printf('%020d', made) || id) AS word FROM unmade CROSS JOIN intent
		WHERE binding = ?1 AND source IS NOT NULL AND state = 'settled' GROUP BY side, source),
	refused AS MATERIALIZED (SELECT DISTINCT link, side FROM intent INDEXED BY intent_rejected
		WHERE binding = ?1 AND state = 'rejected' AND link IS NOT NULL)
	SELECT ` + intentColumns + ` FROM intent i INDEXED BY intent_rejected LEFT JOIN done ON done.side = i.side AND done.source = i.source
	CROSS JOIN entry e ON e.num = i.source AND e.link IS NULL AND e.state <> 'gone'
	WHERE i.binding = ?1 AND i.state = 'rejected' AND i.link IS NULL AND i.source IS NOT NULL
	AND (done.word IS NULL OR done.word < printf('%020d', i.made) || i.id)
	UNION ALL
	SELECT ` + intentColumns + ` FROM refused r CROSS JOIN intent i ON i.link = r.link AND i.side = r.side
	WHERE i.binding = ?1 AND i.state IN ('rejected', 'settled')
	ORDER BY made, id`

// Refusals is what systems said no to and have not taken since: for each entry without a
// link, and not gone, the creates after the last one that was settled, and for each link every change of which
// no field was written later. They are in the order in which they were made.
func (s *Store) Refusals(ctx context.Context, b record.Binding) ([]record.Intent, error) {
	found, err := collect(ctx, s.reader, scanIntent, refusalQuery, b)
	if err != nil {
		return nil, s.explain("read refusals", err)
	}
	type place struct {
		link record.LinkID
		side record.Side
	}
	written := map[place]map[string]bool{} // paths that were written later
	var kept []record.Intent
	for _, in := range slices.Backward(found) {
		at := place{in.Link, in.Place.Side}
		if in.State == record.Settled {
			if written[at] == nil {
				written[at] = map[string]bool{}
			}
			for p := range in.Change.Fields {
				written[at][p] = true
			}
			continue
		}
		if !slices.ContainsFunc(in.Change.Fields.Names(), func(p string) bool { return in.Link != 0 && written[at][p] }) {
			kept = append(kept, in)
		}
	}
	slices.Reverse(kept)
	return kept, nil
}

// Alerted reports whether an entry was told about under that name before.
func (s *Store) Alerted(ctx context.Context, b record.Binding, entry int64, kind string) (bool, error) {
	var yes bool
	err := s.reader.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM alert
		WHERE binding = ?1 AND entry = ?2 AND kind = ?3)`, b, entry, kind).Scan(&yes)
	return yes, s.explain("read alerts", err)
}

// Awaited is the records that any entry waits for and that have no link yet, and
// those that keep an entry from being carried over and were never seen.
func (s *Store) Awaited(ctx context.Context) ([]record.Wait, error) {
	scan := func(rows *sql.Rows) (w record.Wait, err error) {
		err = rows.Scan(&w.Binding, &w.Side, &w.Ref.Kind, &w.Ref.ID)
		return w, err
	}
	found, err := collect(ctx, s.reader, scan, `SELECT DISTINCT w.on_binding, w.on_side, w.on_kind, w.on_id
		FROM wait w JOIN entry f ON f.num = w.entry
		LEFT JOIN entry e ON e.binding = w.on_binding AND e.side = w.on_side AND e.id = w.on_id AND e.kind = w.on_kind
		WHERE e.link IS NULL AND (e.num IS NOT NULL OR f.state = 'waiting') ORDER BY 1, 2, 3, 4`)
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
			SELECT name FROM setting WHERE name LIKE 'plan:%' ORDER BY value ->> '$.at' DESC, name LIMIT ?1 + 0)`, keptPlans)
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
	if err := decode(text, &kept); err != nil {
		return nil, s.explain("read plan", err)
	}
	out := make(map[string]bool, len(kept.Actions))
	for _, a := range kept.Actions {
		out[a] = true
	}
	return out, nil
}
