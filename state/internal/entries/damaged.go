package entries

import (
	"context"
	"database/sql"
	"time"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// damagedWhy is why a record is put aside of which the state file has damaged values.
const damagedWhy = "what the state file keeps of it is damaged; it is left as it is until a backup is put back: nightporter restore --force"

// damaged forgets what was read of an entry whose values can't be read: half of them
// would decide as if it were all. What its columns say is still known.
func (r *Row) damaged() {
	r.Base, r.Seen, r.Pre, r.earlier, r.paths, r.Keys, r.Unfinished, r.Sent = nil, nil, nil, nil, nil, nil, nil, nil
	r.Revision = record.Revision{}
	r.Damaged = damagedWhy
	r.State, r.Why = record.Quarantined, damagedWhy
}

// Begin has an entry without a link be as one that was never seen: what it held is read
// again, and nothing else was known of it.
func (r *Row) Begin() {
	r.Damaged, r.State, r.Why, r.Mapping, r.BaseVersion = "", record.InStep, "", "", ""
	r.Parked = true // there may be a row of it in quarantine
	r.Unlist()
}

// BeginAnew forgets what is known of a record: it belongs to another one. The record is read by id before
// anything is made of it.
func (r *Row) BeginAnew(now time.Time) {
	r.Base, r.Seen, r.Pre, r.earlier, r.Keys, r.Vouching, r.Witness = nil, nil, nil, nil, nil, nil, ""
	r.Recheck, r.Since = now, now
}

// saveDamaged writes of a damaged entry that it is put aside, and leaves its values as they
// are: whoever mends the file by hand needs them. One without a link is read by id, which
// shows all that is to be known of it.
func saveDamaged(ctx context.Context, tx *sql.Tx, r *Row) error {
	return sqlite.Exec(ctx, tx, `UPDATE entry SET state = ?2, why = ?3, listed = NULL, dirty = 1,
		recheck = CASE WHEN link IS NULL THEN 0 END WHERE num = ?1`, r.Num, record.Quarantined, damagedWhy)
}

// Damaged puts a record aside of which the file has damaged values.
func (s *Store) Damaged(ctx context.Context, l record.Lease, num int64) error {
	return s.db.Lease(ctx, l, "put a damaged record aside", func(ctx context.Context, tx *sql.Tx) error {
		r, err := ByNum(ctx, tx, l.Binding, num)
		if err != nil || r.Damaged == "" {
			return err
		}
		return saveDamaged(ctx, tx, r)
	})
}
