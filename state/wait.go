package state

import (
	"context"
	"database/sql"
	"time"

	"nightporter/sync/record"
)

// WaitFor puts an entry into Waiting, for the records named or, with none, for the
// next scan. Without a why its state stays as it is: it is only to be looked at again
// when they are linked. What it waited for before is replaced. If one of the records has been
// linked in the meantime the entry is marked dirty at once: no receipt will wake it.
func (s *Store) WaitFor(ctx context.Context, l record.Lease, num int64, on []record.Wait, why string, now time.Time) error {
	return s.lease(ctx, l, "wait for records", func(ctx context.Context, tx *sql.Tx) error {
		r, err := rowNum(ctx, tx, l.Binding, num)
		if err != nil {
			return err
		}
		if err := dropWaits(ctx, tx, num); err != nil {
			return err
		}
		if why != "" {
			r.State, r.Why, r.Dirty = record.Waiting, why, false
		}
		r.unlist()
		for _, w := range on {
			linked, err := addWait(ctx, tx, l.Binding, num, w, now)
			if err != nil {
				return err
			}
			r.Dirty = r.Dirty || linked
		}
		return save(ctx, tx, r)
	})
}

func addWait(ctx context.Context, tx *sql.Tx, b record.Binding, num int64, w record.Wait, now time.Time) (linked bool, err error) {
	since := now
	if !w.Since.IsZero() {
		since = w.Since
	}
	err = exec(ctx, tx, `INSERT INTO wait (binding, entry, on_binding, on_side, on_kind, on_id, since)
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
	return exec(ctx, tx, `DELETE FROM wait WHERE entry = ?1`, num)
}

// wake marks the entries, of any binding, that wait for a record as to be looked
// at again.
func wake(ctx context.Context, tx *sql.Tx, p record.Place, ref record.Ref) error {
	waiting, err := collect(ctx, tx, number, `SELECT entry FROM wait
		WHERE on_binding = ?1 AND on_side = ?2 AND on_kind = ?3 AND on_id = ?4`, p.Binding, p.Side, ref.Kind, ref.ID)
	if err != nil {
		return err
	}
	for _, num := range waiting {
		err := exec(ctx, tx, `UPDATE entry SET dirty = 1, listed = NULL,
			why = CASE state WHEN 'waiting' THEN '' ELSE why END,
			state = CASE state WHEN 'waiting' THEN '' ELSE state END WHERE num = ?1`, num)
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
	err := s.reader.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM wait
		WHERE on_binding = ?1 AND on_side = ?2 AND on_kind = ?3 AND on_id = ?4)`,
		p.Binding, p.Side, ref.Kind, ref.ID).Scan(&yes)
	return yes, s.explain("read waits", err)
}

// Waits is what an entry waits for.
func (s *Store) Waits(ctx context.Context, num int64) ([]record.Wait, error) {
	scan := func(rows *sql.Rows) (w record.Wait, err error) {
		var since sql.NullInt64
		err = rows.Scan(&w.Entry, &w.Binding, &w.Side, &w.Ref.Kind, &w.Ref.ID, &since)
		w.Since = instant(since)
		return w, err
	}
	waits, err := collect(ctx, s.reader, scan, `SELECT entry, on_binding, on_side, on_kind, on_id, since
		FROM wait WHERE entry = ?1 ORDER BY on_binding, on_side, on_kind, on_id`, num)
	return waits, s.explain("read waits", err)
}
