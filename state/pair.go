package state

import (
	"context"
	"database/sql"
	"fmt"

	"nightporter/sync/record"
)

// pairsWhere reads the links that a query of link ids names, in their order.
func pairsWhere(ctx context.Context, q querier, ids string, args ...any) ([]record.Pair, error) {
	rows, err := q.QueryContext(ctx, `SELECT `+entryColumns+`, l.entity, l.state, l.made, l.doubted
		FROM link l JOIN entry e ON e.link = l.id
		WHERE l.id IN (`+ids+`) ORDER BY l.id, e.side`, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var pairs []record.Pair
	for rows.Next() {
		var r row
		var p record.Pair
		var made sql.NullInt64
		if err := scanRow(rows, &r, &p.Entity, &p.State, &made, &p.Doubted); err != nil {
			return nil, err
		}
		p.Link, p.Made = r.Link, instant(made)
		if n := len(pairs); n == 0 || pairs[n-1].Link != p.Link {
			pairs = append(pairs, p)
		}
		pairs[len(pairs)-1].Sides[r.Place.Side] = r.Entry
	}
	return pairs, rows.Err()
}

// Pair is a link with both its entries; false if there is none.
func (s *Store) Pair(ctx context.Context, link record.LinkID) (record.Pair, bool, error) {
	p, ok, err := first(pairsWhere(ctx, s.reader, `?1`, link))
	return p, ok, s.explain("read pair", err)
}

// PairOf is the pair of a record; false if it is not linked.
func (s *Store) PairOf(ctx context.Context, p record.Place, ref record.Ref) (record.Pair, bool, error) {
	pair, ok, err := first(pairsWhere(ctx, s.reader, `SELECT link FROM entry
		WHERE binding = ?1 AND side = ?2 AND id = ?3 AND kind = ?4`, p.Binding, p.Side, ref.ID, ref.Kind))
	return pair, ok, s.explain("read pair", err)
}

// ByEntity is the binding's pair that stands for an entity; false if it has none. A link that
// ended with no record left is none.
func (s *Store) ByEntity(ctx context.Context, b record.Binding, entity string) (record.Pair, bool, error) {
	p, ok, err := first(pairsWhere(ctx, s.reader, `SELECT id FROM link WHERE binding = ?1 AND entity = ?2`, b, entity))
	return p, ok, s.explain("read pair", err)
}

// entityQuery joins across: the few bindings outside, the index inside.
const entityQuery = `SELECT entity FROM (
		SELECT l.id, l.entity FROM binding b
			CROSS JOIN entry e ON e.binding = b.binding AND e.side = 0 AND e.id = ?2 AND e.kind = ?3
			CROSS JOIN link l ON l.id = e.link WHERE b.left_system = ?1
		UNION ALL
		SELECT l.id, l.entity FROM binding b
			CROSS JOIN entry e ON e.binding = b.binding AND e.side = 1 AND e.id = ?2 AND e.kind = ?3
			CROSS JOIN link l ON l.id = e.link WHERE b.right_system = ?1
		UNION ALL
		SELECT 9223372036854775807, t.entity FROM binding b
			CROSS JOIN entry e ON e.binding = b.binding AND e.side = 0 AND e.id = ?2 AND e.kind = ?3
			CROSS JOIN stood t ON t.entry = e.num WHERE b.left_system = ?1 AND e.link IS NULL
		UNION ALL
		SELECT 9223372036854775807, t.entity FROM binding b
			CROSS JOIN entry e ON e.binding = b.binding AND e.side = 1 AND e.id = ?2 AND e.kind = ?3
			CROSS JOIN stood t ON t.entry = e.num WHERE b.right_system = ?1 AND e.link IS NULL
	) ORDER BY id LIMIT 1`

// EntityOf is what a record of a system stands for, by whichever binding linked it
// first, or stood for until the one across was gone; false if none did.
func (s *Store) EntityOf(ctx context.Context, system record.System, ref record.Ref) (string, bool, error) {
	text := func(rows *sql.Rows) (t string, err error) {
		err = rows.Scan(&t)
		return t, err
	}
	entity, ok, err := first(collect(ctx, s.reader, text, entityQuery, system, ref.ID, ref.Kind))
	return entity, ok, s.explain("read entity", err)
}

// entitiesQuery is entityQuery for many records, all in the order of the links, the
// first last.
const entitiesQuery = `SELECT at, entity FROM (
		SELECT j.key AS at, l.id, l.entity FROM json_each(?2) j CROSS JOIN binding b
			CROSS JOIN entry e ON e.binding = b.binding AND e.side = 0 AND e.id = j.value ->> '$.id' AND e.kind = j.value ->> '$.kind'
			CROSS JOIN link l ON l.id = e.link WHERE b.left_system = ?1
		UNION ALL
		SELECT j.key, l.id, l.entity FROM json_each(?2) j CROSS JOIN binding b
			CROSS JOIN entry e ON e.binding = b.binding AND e.side = 1 AND e.id = j.value ->> '$.id' AND e.kind = j.value ->> '$.kind'
			CROSS JOIN link l ON l.id = e.link WHERE b.right_system = ?1
		UNION ALL
		SELECT j.key, 9223372036854775807, t.entity FROM json_each(?2) j CROSS JOIN binding b
			CROSS JOIN entry e ON e.binding = b.binding AND e.side = 0 AND e.id = j.value ->> '$.id' AND e.kind = j.value ->> '$.kind'
			CROSS JOIN stood t ON t.entry = e.num WHERE b.left_system = ?1 AND e.link IS NULL
		UNION ALL
		SELECT j.key, 9223372036854775807, t.entity FROM json_each(?2) j CROSS JOIN binding b
			CROSS JOIN entry e ON e.binding = b.binding AND e.side = 1 AND e.id = j.value ->> '$.id' AND e.kind = j.value ->> '$.kind'
			CROSS JOIN stood t ON t.entry = e.num WHERE b.right_system = ?1 AND e.link IS NULL
	) ORDER BY id DESC`

// EntitiesOf is EntityOf for many records. One that no binding linked is not among them.
func (s *Store) EntitiesOf(ctx context.Context, system record.System, refs []record.Ref) (map[record.Ref]string, error) {
	list, err := encode(refs)
	if err != nil {
		return nil, s.explain("read entities", err)
	}
	type named struct {
		at     int
		entity string
	}
	found, err := collect(ctx, s.reader, func(rows *sql.Rows) (n named, err error) {
		return n, rows.Scan(&n.at, &n.entity)
	}, entitiesQuery, system, list)
	out := map[record.Ref]string{}
	for _, n := range found {
		out[refs[n.at]] = n.entity
	}
	return out, s.explain("read entities", err)
}

// Dirty is at most n pairs after the link named that have something to be looked
// at: an observation, or a mark; of one that is only remembered a mark alone counts. A
// link whose last change is not settled is none.
func (s *Store) Dirty(ctx context.Context, b record.Binding, after record.LinkID, n int) ([]record.Pair, error) {
	pairs, err := pairsWhere(ctx, s.reader, `SELECT DISTINCT e.link FROM entry e JOIN link l ON l.id = e.link
		WHERE e.binding = ?1 AND e.link IS NOT NULL AND (e.seen IS NOT NULL OR e.dirty = 1) AND e.link > ?2
		AND l.state <> 'unsettled' AND (e.dirty = 1 OR l.state NOT IN ('parted', 'gone')) ORDER BY e.link LIMIT ?3 + 0`, b, after, n)
	return pairs, s.explain("read dirty pairs", err)
}

// LinkCount is how many pairs a binding has.
func (s *Store) LinkCount(ctx context.Context, b record.Binding) (int, error) {
	var n int
	err := s.reader.QueryRowContext(ctx, `SELECT count(*) FROM link WHERE binding = ?1`, b).Scan(&n)
	return n, s.explain("count links", err)
}

// linkState sets a link's state from what is open on it. One that is only remembered
// stays so whatever is written to its records: an undo may make one of them anew.
func linkState(ctx context.Context, tx *sql.Tx, link record.LinkID) error {
	if link == 0 {
		return nil
	}
	return exec(ctx, tx, `UPDATE link SET state = CASE
		WHEN state IN ('broken', 'parted', 'gone') THEN state
		WHEN EXISTS (SELECT 1 FROM intent WHERE link = ?1 AND state IN ('sent', 'held')) THEN 'unsettled'
		WHEN EXISTS (SELECT 1 FROM conflict WHERE link = ?1 AND closed IS NULL) THEN 'conflict'
		ELSE '' END WHERE id = ?1`, link)
}

// unlistLink makes sure that the next listing of both records is looked at.
func unlistLink(ctx context.Context, tx *sql.Tx, link record.LinkID) error {
	return exec(ctx, tx, `UPDATE entry SET listed = NULL WHERE link = ?1`, link)
}

// checkLink refuses a link of another binding.
func checkLink(ctx context.Context, tx *sql.Tx, b record.Binding, link record.LinkID) error {
	var has record.Binding
	err := tx.QueryRowContext(ctx, `SELECT binding FROM link WHERE id = ?1`, link).Scan(&has)
	if isNone(err) || (err == nil && has != b) {
		return unknown("link %d of job %s", link, b)
	}
	if err != nil {
		return fmt.Errorf("link %d: %w", link, err)
	}
	return nil
}
