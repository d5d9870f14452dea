package state

import (
	"context"
	"database/sql"
	"encoding/json"

	"nightporter/sync/record"
)

// row is an entry as it is read from its table, with what the rules ask about it
// besides.
type row struct {
	record.Entry
	paths   []string        // those that no read has shown since they were written: see answeredPath
	earlier []record.Fields // what it held before that, newest first, where reads may still show it
	sent    bool            // its link has an open intent
	busy    bool            // its link has that or an open conflict, or can't be touched
	parked  bool            // it is in quarantine because a read could not make sense of it
	seal    seal            // how its values are kept
	still   bool            // this read showed another value beside the version that vouched for it
	found   bool            // this read showed something that is neither known nor in step
}

const entryColumns = `e.num, e.binding, e.side, e.kind, e.id, e.link, e.base, e.base_version, e.seen, e.listed,
	e.mapping, e.pre, e.acked, e.settle_until, e.provisional, e.state, e.why, e.recheck, e.since, e.keys, e.dirty, e.witness, e.unfinished,
	e.vouching`

// entryTexts holds the columns that need decoding.
type entryTexts struct {
	base, seen, pre, paths, keys   sql.NullString
	unfinished, vouching           sql.NullString
	link, acked, settle, re, since sql.NullInt64
	listed                         []byte
}

func (r *row) targets(t *entryTexts) []any {
	return []any{
		&r.Num, &r.Place.Binding, &r.Place.Side, &r.Ref.Kind, &r.Ref.ID, &t.link, &t.base, &r.BaseVersion, &t.seen,
		&t.listed, &r.Mapping, &t.pre, &t.acked, &t.settle, &t.paths, &r.State, &r.Why, &t.re, &t.since, &t.keys, &r.Dirty, &r.Witness,
		&t.unfinished, &t.vouching,
	}
}

// fill decodes what a row holds. Of one that is damaged nothing is left to decide by.
func (r *row) fill(t *entryTexts) {
	r.Link = record.LinkID(t.link.Int64)
	r.Listed = record.Digest(t.listed)
	r.Acked, r.SettleUntil, r.Recheck, r.Since = instant(t.acked), instant(t.settle), instant(t.re), instant(t.since)
	if err := r.fillTexts(t); err != nil {
		r.damaged()
	}
}

func (r *row) fillTexts(t *entryTexts) error {
	for _, c := range []struct {
		text sql.NullString
		into any
	}{{t.base, &r.Base}, {t.paths, &r.paths}, {t.keys, &r.Keys}} {
		if c.text.Valid {
			if err := decode(c.text.String, c.into); err != nil {
				return err
			}
		}
	}
	r.Sent = sentOnly(r.paths)
	if t.unfinished.Valid {
		var err error
		if r.Unfinished, err = decodeUnfinished(t.unfinished.String); err != nil {
			return err
		}
	}
	if t.vouching.Valid {
		var err error
		if r.Vouching, r.Revision, err = decodeVouching(t.vouching.String); err != nil {
			return err
		}
	}
	if t.pre.Valid {
		if err := r.fillPre(t.pre.String); err != nil {
			return err
		}
	}
	if t.seen.Valid {
		var err error
		r.Seen, err = decodeSeen(t.seen.String)
		return err
	}
	return nil
}

// scanRow reads entryColumns and then the columns for extra.
func scanRow(rows *sql.Rows, r *row, extra ...any) error {
	var t entryTexts
	if err := rows.Scan(append(r.targets(&t), extra...)...); err != nil {
		return err
	}
	r.fill(&t)
	return nil
}

func scanEntry(rows *sql.Rows) (record.Entry, error) {
	var r row
	err := scanRow(rows, &r)
	return r.Entry, err
}

// first is the first of what a query found.
func first[T any](found []T, err error) (v T, ok bool, _ error) {
	if err != nil || len(found) == 0 {
		return v, false, err
	}
	return found[0], true, nil
}

// Entry is what is known of a record; false if nothing is.
func (s *Store) Entry(ctx context.Context, p record.Place, ref record.Ref) (record.Entry, bool, error) {
	e, ok, err := first(collect(ctx, s.reader, scanEntry, `SELECT `+entryColumns+` FROM entry e
		WHERE e.binding = ?1 AND e.side = ?2 AND e.id = ?3 AND e.kind = ?4`, p.Binding, p.Side, ref.ID, ref.Kind))
	return e, ok, s.explain("read entry", err)
}

// EntryNum is the entry of that number; false if there is none.
func (s *Store) EntryNum(ctx context.Context, num int64) (record.Entry, bool, error) {
	e, ok, err := first(collect(ctx, s.reader, scanEntry, `SELECT `+entryColumns+` FROM entry e WHERE e.num = ?1`, num))
	return e, ok, s.explain("read entry", err)
}

// rowQuery reads entries with what the rules need to know; a WHERE is to follow.
const rowQuery = `SELECT ` + entryColumns + `,
	e.link IS NOT NULL AND EXISTS (SELECT 1 FROM intent i WHERE i.link = e.link AND i.state IN ('prepared', 'sent', 'held')),
	e.link IS NOT NULL AND (
		(SELECT l.state <> '' FROM link l WHERE l.id = e.link)
		OR EXISTS (SELECT 1 FROM conflict c WHERE c.link = e.link AND c.closed IS NULL)),
	EXISTS (SELECT 1 FROM quarantine q WHERE q.entry = e.num)
	FROM entry e WHERE `

func rowsWhere(ctx context.Context, q querier, where string, args ...any) ([]*row, error) {
	return collect(ctx, q, func(rows *sql.Rows) (*row, error) {
		r := &row{seal: sealOf(ctx)}
		err := scanRow(rows, r, &r.sent, &r.busy, &r.parked)
		r.busy = r.busy || r.sent
		return r, err
	}, rowQuery+where, args...)
}

// rowNum is one entry of the lease's binding, in its transaction.
func rowNum(ctx context.Context, tx *sql.Tx, b record.Binding, num int64) (*row, error) {
	r, ok, err := first(rowsWhere(ctx, tx, `e.num = ?1 AND e.binding = ?2`, num, b))
	if err == nil && !ok {
		err = unknown("entry %d of job %s", num, b)
	}
	return r, err
}

// linkRows is both entries of a link of the lease's binding, left first.
func linkRows(ctx context.Context, tx *sql.Tx, b record.Binding, link record.LinkID) (pair [2]*row, err error) {
	rows, err := rowsWhere(ctx, tx, `e.link = ?1 AND e.binding = ?2 ORDER BY e.side`, link, b)
	if err != nil {
		return pair, err
	}
	if len(rows) != 2 {
		return pair, unknown("link %d of job %s", link, b)
	}
	return [2]*row(rows), nil
}

// rowsOfPlace is the entries of those ids, by id.
func rowsOfPlace(ctx context.Context, q querier, p record.Place, ids []string) (map[string]*row, error) {
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	rows, err := rowsWhere(ctx, q, `e.binding = ?1 AND e.side = ?2 AND e.id IN (SELECT value FROM json_each(?3))`,
		p.Binding, p.Side, string(list))
	if err != nil {
		return nil, err
	}
	out := make(map[string]*row, len(rows))
	for _, r := range rows {
		out[r.Ref.ID] = r
	}
	return out, nil
}
