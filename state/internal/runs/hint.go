package runs

import (
	"context"
	"database/sql"
	"time"

	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// hintMemory is how long a delivery is remembered after a run looked at it, so that its repetition is recognised.
// forgetAtOnce is how many deliveries one call forgets at most.
const (
	hintMemory   = 7 * 24 * time.Hour
	forgetAtOnce = 1000
)

// Hint keeps hints, all in one transaction, and returns how many it kept. A delivery with an event is kept once for
// each record. A hint without an event takes the place of an older one about the same record that no run has looked
// at yet: what is asked for again and again while a system is away is one hint. The hints are durable when Hint
// returns, so that the delivery may be acknowledged.
func (s *Store) Hint(ctx context.Context, hints []record.Hint) (int, error) {
	var kept int64
	err := s.db.Write(ctx, "keep hints", func(ctx context.Context, tx *sql.Tx) error {
		kept = 0
		for _, h := range hints {
			if h.Event == "" {
				err := sqlite.Exec(ctx, tx, `DELETE FROM hint WHERE binding = ?1 AND side = ?2 AND kind = ?3 AND id = ?4
					AND event = '' AND done IS NULL`, h.Place.Binding, h.Place.Side, h.Ref.Kind, h.Ref.ID)
				if err != nil {
					return err
				}
			}
			res, err := tx.ExecContext(ctx, `INSERT INTO hint (binding, side, kind, id, event, sent, at)
				VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO NOTHING`, h.Place.Binding, h.Place.Side, h.Ref.Kind,
				h.Ref.ID, h.Event, sqlite.Millis(h.Sent), h.At.UnixMilli())
			if err != nil {
				return err
			}
			n, err := res.RowsAffected()
			if err != nil {
				return err
			}
			kept += n
		}
		return nil
	})
	return int(kept), err
}

// OpenHints reads the hints that no run has looked at yet. Its index answers it.
const OpenHints = `SELECT seq, binding, side, kind, id, event, sent, at FROM hint
	WHERE binding = ?1 AND seq > ?2 AND done IS NULL ORDER BY seq LIMIT ?3 + 0`

// Hints returns at most n hints of a binding that no run has looked at yet, with a number above after, oldest
// first. They stay until Heeded names them. A hint that comes while a run looks at an older one has a higher
// number, and is returned next.
func (s *Store) Hints(ctx context.Context, b record.Binding, after int64, n int) ([]record.Hint, error) {
	return sqlite.List(ctx, s.db, "read hints", func(rows *sql.Rows) (h record.Hint, err error) {
		err = rows.Scan(&h.Seq, &h.Place.Binding, &h.Place.Side, &h.Ref.Kind, &h.Ref.ID, &h.Event, sqlite.AsTime(&h.Sent), sqlite.AsTime(&h.At))
		return h, err
	}, OpenHints, b, after, n)
}

// Heeded notes that a run has looked at the records of these hints. Each record was read after its hint came. It
// also forgets hints that were heeded long ago.
func (s *Store) Heeded(ctx context.Context, l record.Lease, seqs []int64, now time.Time) error {
	return s.db.Lease(ctx, l, "heed hints", func(ctx context.Context, tx *sql.Tx) error {
		err := sqlite.Exec(ctx, tx, `UPDATE hint SET done = ?3 WHERE seq IN (SELECT value FROM json_each(?1))
			AND binding = ?2 AND done IS NULL`, sqlite.JSON(seqs), l.Binding, now.UnixMilli())
		if err != nil {
			return err
		}
		return sqlite.Exec(ctx, tx, `DELETE FROM hint WHERE seq IN (SELECT seq FROM hint WHERE done < ?1 LIMIT ?2 + 0)`,
			now.Add(-hintMemory).UnixMilli(), forgetAtOnce)
	})
}
