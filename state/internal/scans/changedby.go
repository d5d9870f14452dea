package scans

import (
	"context"
	"database/sql"

	"nightporter/state/internal/entries"
	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// keepChangedBy keeps who changed a record last, where its system shows that. It may be a person's name, so it is
// not kept where values are kept as digests.
func keepChangedBy(ctx context.Context, tx *sql.Tx, r *entries.Row, o record.Observation) error {
	if o.ChangedBy == "" || r.Num == 0 || sqlite.SealOf(ctx).On {
		return nil
	}
	return sqlite.Exec(ctx, tx, `INSERT INTO changed_by (entry, binding, name, at) VALUES (?1, ?2, ?3, ?4)
		ON CONFLICT (entry) DO UPDATE SET name = excluded.name, at = excluded.at WHERE excluded.at >= changed_by.at`,
		r.Num, r.Place.Binding, o.ChangedBy, o.At.UnixMilli())
}

// ChangedBy returns who changed records last, by the numbers of their entries, where their systems show it.
func (s *Store) ChangedBy(ctx context.Context, nums []int64) (map[int64]string, error) {
	type by struct {
		entry int64
		name  string
	}
	scan := func(rows *sql.Rows) (b by, err error) {
		err = rows.Scan(&b.entry, &b.name)
		return b, err
	}
	found, err := sqlite.Collect(ctx, s.db.Reader, scan, `SELECT entry, name FROM changed_by WHERE entry IN (SELECT value FROM json_each(?1))`, sqlite.JSON(nums))
	out := make(map[int64]string, len(found))
	for _, b := range found {
		out[b.entry] = b.name
	}
	return out, s.db.Explain("read who changed records", err)
}
