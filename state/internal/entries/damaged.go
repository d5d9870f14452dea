package entries

import (
	"context"
	"database/sql"
	"time"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// damagedWhy is the reason shown for a record that is put aside because its values in the state file are damaged.
const damagedWhy = "what the state file keeps of it is damaged; it is left as it is until a backup is put back: nightporter restore --force"

// damaged puts an entry aside because some of its values can't be decoded, and drops those that could be: a
// decision would take them for all there is. What plain columns hold is kept.
func (r *Row) damaged() {
	r.Base, r.Seen, r.Pre, r.earlier, r.paths, r.Keys, r.Unfinished, r.Sent = nil, nil, nil, nil, nil, nil, nil, nil
	r.Revision = record.Revision{}
	r.Damaged = damagedWhy
	r.State, r.Why = record.Quarantined, damagedWhy
}

// Begin makes a damaged entry without a link look as if it was never seen. Nothing is lost: its values are read
// again, and no more than these was known.
func (r *Row) Begin() {
	r.Damaged, r.State, r.Why, r.Mapping, r.BaseVersion = "", record.InStep, "", "", ""
	r.Parked = true // the table quarantine may have a row for this entry
	r.Unlist()
}

// BeginAnew forgets what is known under the id of a record, because it belongs to another record. The record is
// read by id before anything is decided about it.
func (r *Row) BeginAnew(now time.Time) {
	r.Base, r.Seen, r.Pre, r.earlier, r.Keys, r.Vouching, r.Witness = nil, nil, nil, nil, nil, nil, ""
	r.Recheck, r.Since = now, now
}

// saveDamaged writes that a damaged entry is put aside. It leaves the damaged values in the file: whoever mends
// the file by hand needs them. A record without a link is to be read by id, which shows all there is to know of
// it.
func saveDamaged(ctx context.Context, tx *sql.Tx, r *Row) error {
	return sqlite.Exec(ctx, tx, `UPDATE entry SET state = ?2, why = ?3, listed = NULL, dirty = 1,
		recheck = CASE WHEN link IS NULL THEN 0 END WHERE num = ?1`, r.Num, record.Quarantined, damagedWhy)
}

// Damaged puts a record aside if the state file holds damaged values of it. Otherwise it does nothing.
func (s *Store) Damaged(ctx context.Context, l record.Lease, num int64) error {
	return s.db.Lease(ctx, l, "put a damaged record aside", func(ctx context.Context, tx *sql.Tx) error {
		r, err := ByNum(ctx, tx, l.Binding, num)
		if err != nil || r.Damaged == "" {
			return err
		}
		return saveDamaged(ctx, tx, r)
	})
}
