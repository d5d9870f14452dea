package links

import (
	"context"
	"database/sql"
	"time"

	"nightporter/state/internal/entries"
	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// LinkAt returns when a link was made, and its state; false if there is no such link.
func (s *Store) LinkAt(ctx context.Context, link record.LinkID) (made time.Time, st record.LinkState, ok bool, err error) {
	var at sql.NullInt64
	err = s.db.Reader.QueryRowContext(ctx, `SELECT made, state FROM link WHERE id = ?1`, link).Scan(&at, &st)
	if sqlite.IsNone(err) {
		return made, st, false, nil
	}
	return sqlite.Instant(at), st, err == nil, s.db.Explain("read link", err)
}

// Bereft lists the links of a place with a record there that was not found last or is proven gone, and a record
// across that is not gone. Each of these links is live, or a person is asked about it, or it was ended and the
// record across left alone. The first condition of the query is the one of the index.
func (s *Store) Bereft(ctx context.Context, p record.Place) ([]record.Pair, error) {
	pairs, err := pairsWhere(ctx, s.db.Reader, `SELECT e.link FROM entry e JOIN link l ON l.id = e.link
		JOIN entry o ON o.link = e.link AND o.side <> e.side
		WHERE e.state <> '' AND e.binding = ?1 AND e.side = ?2 AND e.state IN (`+sqlite.EntryMissed+`, `+sqlite.EntrySuspect+`, `+sqlite.EntryGone+`)
			AND (l.state NOT IN `+sqlite.LinksOver+` OR l.state = `+sqlite.LinkParted+` AND EXISTS (SELECT 1 FROM tombstone t WHERE t.entry = e.num AND t.done = 'unlinked')
				OR EXISTS (SELECT 1 FROM question c WHERE c.link = e.link AND c.closed IS NULL))
			AND o.state <> `+sqlite.EntryGone, p.Binding, p.Side)
	return pairs, s.db.Explain("list links of which a record is gone", err)
}

// Strange lists the links of a place with an id there that names another record than was linked. The first
// condition of the query is the one of the index.
func (s *Store) Strange(ctx context.Context, p record.Place) ([]record.Pair, error) {
	pairs, err := pairsWhere(ctx, s.db.Reader, `SELECT e.link FROM entry e WHERE e.state <> '' AND e.binding = ?1 AND e.side = ?2
		AND e.state = `+sqlite.EntryStranger+` AND e.link IS NOT NULL`, p.Binding, p.Side)
	return pairs, s.db.Explain("list links of which a record is another one", err)
}

// pairsWhere reads the links with the ids that a query finds, in the order of their ids.
func pairsWhere(ctx context.Context, q sqlite.Querier, ids string, args ...any) ([]record.Pair, error) {
	rows, err := q.QueryContext(ctx, `SELECT `+entries.Columns+`, l.entity, l.state, l.made, l.doubted
		FROM link l JOIN entry e ON e.link = l.id
		WHERE l.id IN (`+ids+`) ORDER BY l.id, e.side`, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var pairs []record.Pair
	for rows.Next() {
		var r entries.Row
		var p record.Pair
		if err := entries.ScanRow(rows, &r, &p.Entity, &p.State, sqlite.AsTime(&p.Made), &p.Doubted); err != nil {
			return nil, err
		}
		p.Link = r.Link
		if n := len(pairs); n == 0 || pairs[n-1].Link != p.Link {
			pairs = append(pairs, p)
		}
		pairs[len(pairs)-1].Sides[r.Place.Side] = r.Entry
	}
	return pairs, rows.Err()
}

// Pair returns a link with both its entries; false if there is none.
func (s *Store) Pair(ctx context.Context, link record.LinkID) (record.Pair, bool, error) {
	p, ok, err := sqlite.First(pairsWhere(ctx, s.db.Reader, `?1`, link))
	return p, ok, s.db.Explain("read pair", err)
}

// PairOf returns the pair of a record; false if the record is not linked.
func (s *Store) PairOf(ctx context.Context, p record.Place, ref record.Ref) (record.Pair, bool, error) {
	pair, ok, err := sqlite.First(pairsWhere(ctx, s.db.Reader, `SELECT link FROM entry
		WHERE binding = ?1 AND side = ?2 AND id = ?3 AND kind = ?4`, p.Binding, p.Side, ref.ID, ref.Kind))
	return pair, ok, s.db.Explain("read pair", err)
}

// ByEntity returns the binding's pair that stands for an entity; false if it has none. A link that ended and has
// no entry left does not count.
func (s *Store) ByEntity(ctx context.Context, b record.Binding, entity string) (record.Pair, bool, error) {
	p, ok, err := sqlite.First(pairsWhere(ctx, s.db.Reader, `SELECT id FROM link WHERE binding = ?1 AND entity = ?2`, b, entity))
	return p, ok, s.db.Explain("read pair", err)
}

// EntityQuery is the statement of EntityOf. CROSS JOIN makes SQLite begin with the few bindings and look the
// record up in the index.
const EntityQuery = `SELECT entity FROM (
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

// EntityOf returns the entity that a record of a system stands for, by the binding that linked it first; false if
// none did. A record that has no link any more stands for what it stood for until the record across was gone.
func (s *Store) EntityOf(ctx context.Context, system record.System, ref record.Ref) (string, bool, error) {
	text := func(rows *sql.Rows) (t string, err error) {
		err = rows.Scan(&t)
		return t, err
	}
	return sqlite.Find(ctx, s.db, "read entity", text, EntityQuery, system, ref.ID, ref.Kind)
}

// EntitiesQuery is EntityQuery for many records. The link that was made first comes last: who reads the rows in
// order ends with it.
const EntitiesQuery = `SELECT at, entity FROM (
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

// EntitiesOf is EntityOf for many records. A record that no binding linked is missing from the result.
func (s *Store) EntitiesOf(ctx context.Context, system record.System, refs []record.Ref) (map[record.Ref]string, error) {
	type named struct {
		at     int
		entity string
	}
	found, err := sqlite.Collect(ctx, s.db.Reader, func(rows *sql.Rows) (n named, err error) {
		return n, rows.Scan(&n.at, &n.entity)
	}, EntitiesQuery, system, sqlite.JSON(refs))
	out := map[record.Ref]string{}
	for _, n := range found {
		out[refs[n.at]] = n.entity
	}
	return out, s.db.Explain("read entities", err)
}

// undone is true of a link l of which we deleted one record and left the other one alone, as an undo does: an edit of
// the other one is looked at.
const undone = `EXISTS (SELECT 1 FROM tombstone t WHERE t.link = l.id AND t.link <> 0 AND t.evidence = 'ours' AND t.done = 'unlinked')`

// Dirty returns at most n pairs, after the link given, with something to be looked at: an observation or a mark.
// If the link is only remembered, only a mark counts, but for a link that an undo ended. A link with a change that was not answered is left out.
func (s *Store) Dirty(ctx context.Context, b record.Binding, after record.LinkID, n int) ([]record.Pair, error) {
	pairs, err := pairsWhere(ctx, s.db.Reader, `SELECT DISTINCT e.link FROM entry e JOIN link l ON l.id = e.link
		WHERE e.binding = ?1 AND e.link IS NOT NULL AND (e.seen IS NOT NULL OR e.dirty = 1) AND e.link > ?2
		AND l.state <> `+sqlite.LinkUnsure+` AND (e.dirty = 1 OR l.state NOT IN `+sqlite.LinksOver+` OR `+undone+`) ORDER BY e.link LIMIT ?3 + 0`, b, after, n)
	return pairs, s.db.Explain("read dirty pairs", err)
}

// LinkCount returns how many links a binding has, ended ones included.
func (s *Store) LinkCount(ctx context.Context, b record.Binding) (int, error) {
	var n int
	err := s.db.Reader.QueryRowContext(ctx, `SELECT count(*) FROM link WHERE binding = ?1`, b).Scan(&n)
	return n, s.db.Explain("count links", err)
}

// Pairs returns at most n pairs of a binding, after the link given, by number.
func (s *Store) Pairs(ctx context.Context, b record.Binding, after record.LinkID, n int) ([]record.Pair, error) {
	pairs, err := pairsWhere(ctx, s.db.Reader, `SELECT id FROM link WHERE binding = ?1 AND id > ?2 ORDER BY id LIMIT ?3 + 0`, b, after, n)
	return pairs, s.db.Explain("read pairs", err)
}
