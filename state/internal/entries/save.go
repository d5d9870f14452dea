package entries

import (
	"context"
	"database/sql"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

const insertEntry = `INSERT INTO entry (link, base, base_version, seen, listed, mapping, pre, acked, settle_until,
	provisional, state, why, recheck, keys, dirty, witness, unfinished, vouching, binding, side, kind, id, since)
	VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23)`

const updateEntry = `UPDATE entry SET link = ?1, base = ?2, base_version = ?3, seen = ?4, listed = ?5, mapping = ?6,
	pre = ?7, acked = ?8, settle_until = ?9, provisional = ?10, state = ?11, why = ?12, recheck = ?13, keys = ?14,
	dirty = ?15, witness = ?16, unfinished = ?17, vouching = ?18, id = ?20, since = ?21 WHERE num = ?19`

// Save writes an entry as it is now, and gives a new one its number. It does not write the table of match keys:
// SaveKeys does.
func Save(ctx context.Context, tx *sql.Tx, r *Row) error {
	if r.Damaged != "" {
		return saveDamaged(ctx, tx, r)
	}
	args, err := r.columns()
	if err != nil {
		return err
	}
	if r.Num != 0 {
		return sqlite.Exec(ctx, tx, updateEntry, append(args, r.Num, r.Ref.ID, sqlite.Millis(r.Since))...)
	}
	res, err := tx.ExecContext(ctx, insertEntry,
		append(args, r.Place.Binding, r.Place.Side, r.Ref.Kind, r.Ref.ID, sqlite.Millis(r.Since))...)
	if err == nil {
		r.Num, err = res.LastInsertId()
	}
	return err
}

func (r *Row) columns() ([]any, error) {
	base, err := encodeBase(r.Base)
	if err != nil {
		return nil, err
	}
	seen, err := encodeSeen(r.Seen)
	if err != nil {
		return nil, err
	}
	pre, err := encodePre(r.Pre, r.earlier)
	if err != nil {
		return nil, err
	}
	unfinished, err := encodeUnfinished(r.Unfinished)
	if err != nil {
		return nil, err
	}
	vouching, err := encodeVouching(r.Vouching, r.Revision)
	if err != nil {
		return nil, err
	}
	var paths, keys any
	if len(r.paths) > 0 {
		if paths, err = sqlite.Encode(r.paths); err != nil {
			return nil, err
		}
	}
	if r.Keys != nil {
		if keys, err = sqlite.Encode(r.Keys); err != nil {
			return nil, err
		}
	}
	return []any{
		sqlite.OrNull(int64(r.Link)), base, r.BaseVersion, seen, sqlite.Blob(r.Listed), r.Mapping, pre, sqlite.Millis(r.Acked),
		sqlite.Millis(r.SettleUntil), paths, r.State, r.Why, sqlite.Millis(r.Recheck), keys, sqlite.Flag(r.Dirty), r.Witness, unfinished,
		vouching,
	}, nil
}

// SaveKeys replaces the match keys of entries of one place, a whole page at once.
func SaveKeys(ctx context.Context, tx *sql.Tx, p record.Place, rows map[int64]*Row) error {
	if len(rows) == 0 {
		return nil
	}
	var nums []int64
	var keys [][3]any
	for num, r := range rows {
		nums = append(nums, num)
		for _, k := range r.Keys {
			if sqlite.Usable(k.Text) {
				keys = append(keys, [3]any{k.Name, k.Text, num})
			}
		}
	}
	old, err := sqlite.Encode(nums)
	if err != nil {
		return err
	}
	if err := sqlite.Exec(ctx, tx, `DELETE FROM entry_key WHERE entry IN (SELECT value FROM json_each(?1))`, old); err != nil {
		return err
	}
	list, err := sqlite.Encode(keys)
	if err != nil {
		return err
	}
	return sqlite.Exec(ctx, tx, `INSERT INTO entry_key (binding, side, name, text, entry)
		SELECT ?1, ?2, value ->> 0, value ->> 1, value ->> 2 FROM json_each(?3) WHERE true
		ON CONFLICT DO NOTHING`, p.Binding, p.Side, list)
}

// Unlist makes sure that the entry's next listing is looked at, whatever its bytes.
func (r *Row) Unlist() { r.Listed = "" }

// Unpark takes a record out of quarantine: it could be read, or there is nothing to read
// any more.
func (r *Row) Unpark(ctx context.Context, tx *sql.Tx) error {
	if !r.Parked {
		return nil
	}
	r.Parked = false
	return sqlite.Exec(ctx, tx, `DELETE FROM quarantine WHERE entry = ?1`, r.Num)
}
