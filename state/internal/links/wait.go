package links

import (
	"context"
	"database/sql"
	"time"

	"nightporter/state/internal/entries"
	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// WaitsOf returns the records without a link that some entries wait for, the longest wait first.
func (s *Store) WaitsOf(ctx context.Context, nums []int64) ([]record.Wait, error) {
	scan := func(rows *sql.Rows) (w record.Wait, err error) {
		err = rows.Scan(&w.Entry, &w.Binding, &w.Side, &w.Ref.Kind, &w.Ref.ID, sqlite.AsTime(&w.Since))
		return w, err
	}
	return sqlite.List(ctx, s.db, "read waits", scan, `SELECT w.entry, w.on_binding, w.on_side, w.on_kind, w.on_id, w.since FROM wait w
		LEFT JOIN entry e ON e.binding = w.on_binding AND e.side = w.on_side AND e.id = w.on_id AND e.kind = w.on_kind
		WHERE w.entry IN (SELECT value FROM json_each(?1)) AND e.link IS NULL ORDER BY w.since`, sqlite.JSON(nums))
}

// Awaited returns the records without a link that any entry waits for. A record that was never seen is among them
// only if it keeps an entry in Waiting.
func (s *Store) Awaited(ctx context.Context) ([]record.Wait, error) {
	scan := func(rows *sql.Rows) (w record.Wait, err error) {
		err = rows.Scan(&w.Binding, &w.Side, &w.Ref.Kind, &w.Ref.ID)
		return w, err
	}
	return sqlite.List(ctx, s.db, "read waits", scan, `SELECT DISTINCT w.on_binding, w.on_side, w.on_kind, w.on_id
		FROM wait w JOIN entry f ON f.num = w.entry
		LEFT JOIN entry e ON e.binding = w.on_binding AND e.side = w.on_side AND e.id = w.on_id AND e.kind = w.on_kind
		WHERE e.link IS NULL AND (e.num IS NOT NULL OR f.state = `+sqlite.EntryWaiting+`) ORDER BY 1, 2, 3, 4`)
}

// WaitFor puts an entry into Waiting: for the records named or, if none is named, for the next scan. Without a why
// the entry keeps its state, and is only looked at again when the records are linked. What it waited for before is
// replaced. If one of the records was linked in the meantime, the entry is marked dirty at once: no receipt will
// wake it.
func (s *Store) WaitFor(ctx context.Context, l record.Lease, num int64, on []record.Wait, why string, now time.Time) error {
	return s.db.Lease(ctx, l, "wait for records", func(ctx context.Context, tx *sql.Tx) error {
		r, err := entries.ByNum(ctx, tx, l.Binding, num)
		if err != nil {
			return err
		}
		if err := dropWaits(ctx, tx, num); err != nil {
			return err
		}
		if why != "" {
			r.State, r.Why, r.Dirty = record.Waiting, why, false
		}
		r.Unlist()
		for _, w := range on {
			linked, err := addWait(ctx, tx, l.Binding, num, w, now)
			if err != nil {
				return err
			}
			r.Dirty = r.Dirty || linked
		}
		if err := entries.Save(ctx, tx, r); err != nil || why == "" {
			return err
		}
		return sqlite.Exec(ctx, tx, `UPDATE entry SET cause = '' WHERE num = ?1`, num)
	})
}

func addWait(ctx context.Context, tx *sql.Tx, b record.Binding, num int64, w record.Wait, now time.Time) (linked bool, err error) {
	since := now
	if !w.Since.IsZero() {
		since = w.Since
	}
	err = sqlite.Exec(ctx, tx, `INSERT INTO wait (binding, entry, on_binding, on_side, on_kind, on_id, since)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO NOTHING`,
		b, num, w.Binding, w.Side, w.Ref.Kind, w.Ref.ID, since.UnixMilli())
	if err != nil {
		return false, err
	}
	err = tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM entry
		WHERE binding = ?1 AND side = ?2 AND id = ?3 AND kind = ?4 AND link IS NOT NULL)`,
		w.Binding, w.Side, w.Ref.ID, w.Ref.Kind).Scan(&linked)
	return linked, err
}

func dropWaits(ctx context.Context, tx *sql.Tx, num int64) error {
	return sqlite.Exec(ctx, tx, `DELETE FROM wait WHERE entry = ?1`, num)
}

// wake marks the entries of any binding that wait for a record, so that they are looked at again. They wait for
// nothing after that.
func wake(ctx context.Context, tx *sql.Tx, p record.Place, ref record.Ref) error {
	waiting, err := sqlite.Collect(ctx, tx, sqlite.Number, `SELECT entry FROM wait
		WHERE on_binding = ?1 AND on_side = ?2 AND on_kind = ?3 AND on_id = ?4`, p.Binding, p.Side, ref.Kind, ref.ID)
	if err != nil {
		return err
	}
	for _, num := range waiting {
		err := sqlite.Exec(ctx, tx, `UPDATE entry SET dirty = 1, listed = NULL,
			why = CASE state WHEN `+sqlite.EntryWaiting+` THEN '' ELSE why END,
			state = CASE state WHEN `+sqlite.EntryWaiting+` THEN '' ELSE state END WHERE num = ?1`, num)
		if err != nil {
			return err
		}
		if err := dropWaits(ctx, tx, num); err != nil {
			return err
		}
	}
	return nil
}

// WaitedFor reports whether any entry waits for a record.
func (s *Store) WaitedFor(ctx context.Context, p record.Place, ref record.Ref) (bool, error) {
	var yes bool
	err := s.db.Reader.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM wait
		WHERE on_binding = ?1 AND on_side = ?2 AND on_kind = ?3 AND on_id = ?4)`,
		p.Binding, p.Side, ref.Kind, ref.ID).Scan(&yes)
	return yes, s.db.Explain("read waits", err)
}

// Waits returns what an entry waits for.
func (s *Store) Waits(ctx context.Context, num int64) ([]record.Wait, error) {
	scan := func(rows *sql.Rows) (w record.Wait, err error) {
		err = rows.Scan(&w.Entry, &w.Binding, &w.Side, &w.Ref.Kind, &w.Ref.ID, sqlite.AsTime(&w.Since))
		return w, err
	}
	return sqlite.List(ctx, s.db, "read waits", scan, `SELECT entry, on_binding, on_side, on_kind, on_id, since
		FROM wait WHERE entry = ?1 ORDER BY on_binding, on_side, on_kind, on_id`, num)
}
