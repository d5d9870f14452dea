package digests

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"nightporter/state/internal/entries"
	"nightporter/state/internal/journal"
	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// OpenDigests lets entries be found by their match keys in bindings that keep values as digests. It writes nothing.
func (s *Store) OpenDigests(ctx context.Context, file string, bindings []record.Binding) error {
	var known bool
	err := s.db.Reader.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM setting WHERE binding = '' AND name = ?1)`, sqlite.KeySetting).Scan(&known)
	if err != nil {
		return s.db.Explain("read settings", err)
	}
	if !known || len(bindings) == 0 || s.db.Seals.Load() != nil {
		return nil
	}
	key, err := s.db.Key(ctx, file)
	if err != nil {
		return err
	}
	seals := make(map[record.Binding]sqlite.Seal, len(bindings))
	for _, b := range bindings {
		seals[b] = sqlite.Seal{On: true, Key: key}
	}
	s.db.Seals.Store(&seals)
	return nil
}

// sealedSetting names the setting of a binding that says that its values are kept as digests.
const sealedSetting = "sealed"

// ErrSealed says that a job keeps its values as digests, and that they can't be kept plain again: nobody
// knows what they were.
var ErrSealed = errors.New("its values are kept as digests, and can't be kept plain again")

// KeepDigests has bindings keep their values as digests from now on, and turns what is kept of them into digests.
// file holds the key, and is made if it is not there. Without the key the digests say nothing, so it is best not
// kept beside a copy of the state. A binding that is not named must never have been named before. KeepDigests is to
// be called before the first run of a binding; bindings that were named before may run meanwhile.
func (s *Store) KeepDigests(ctx context.Context, file string, bindings []record.Binding) error {
	if err := s.refusePlain(ctx, bindings); err != nil || len(bindings) == 0 {
		return err
	}
	key, err := s.db.Key(ctx, file)
	if err != nil {
		return err
	}
	if _, err := s.db.Writer.ExecContext(ctx, `PRAGMA secure_delete = ON`); err != nil {
		return s.db.Explain("overwrite what is deleted", err)
	}
	seals := make(map[record.Binding]sqlite.Seal, len(bindings))
	for _, b := range bindings {
		seals[b] = sqlite.Seal{On: true, Key: key}
	}
	s.db.Seals.Store(&seals)
	for _, b := range bindings {
		var done bool
		err := s.db.Reader.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM setting WHERE binding = ?1 AND name = ?2)`,
			b, sealedSetting).Scan(&done)
		if err != nil {
			return s.db.Explain("read settings", err)
		}
		if done {
			continue
		}
		if err := s.db.Write(ctx, "keep digests of "+string(b), func(ctx context.Context, tx *sql.Tx) error {
			return sealEntries(sqlite.WithSeal(ctx, s.db.SealOf(b)), tx, b)
		}); err != nil {
			return err
		}
		if err := s.Sweep(ctx, b); err != nil {
			return err
		}
		// Deleted values are still in pages that nothing has overwritten.
		if _, err := s.db.Writer.ExecContext(ctx, `VACUUM`); err != nil {
			return s.db.Explain("write the state anew", err)
		}
		if err := s.truncate(ctx); err != nil {
			return err
		}
	}
	return nil
}

// refusePlain fails with ErrSealed if a binding keeps its values as digests and is not among sealed any more.
func (s *Store) refusePlain(ctx context.Context, sealed []record.Binding) error {
	text := func(rows *sql.Rows) (b record.Binding, err error) {
		err = rows.Scan(&b)
		return b, err
	}
	was, err := sqlite.Collect(ctx, s.db.Reader, text, `SELECT binding FROM setting WHERE name = ?1 ORDER BY binding`, sealedSetting)
	if err != nil {
		return s.db.Explain("read settings", err)
	}
	may := map[record.Binding]bool{}
	for _, b := range sealed {
		may[b] = true
	}
	for _, b := range was {
		if !may[b] {
			return fmt.Errorf("job %s: %w: set keep_values: digest again, or begin with a new state file", b, ErrSealed)
		}
	}
	return nil
}

// sealEntries turns what is kept of the records of a binding into digests.
func sealEntries(ctx context.Context, tx *sql.Tx, b record.Binding) error {
	if err := sqlite.Exec(ctx, tx, `DELETE FROM changed_by WHERE binding = ?1`, b); err != nil {
		return err
	}
	for side := range record.Sides {
		rows, err := entries.Where(ctx, tx, `e.binding = ?1 AND e.side = ?2`, b, side)
		if err != nil {
			return err
		}
		keyed := make(map[int64]*entries.Row, len(rows))
		for _, r := range rows {
			r.Digest()
			if err := entries.Save(ctx, tx, r); err != nil {
				return err
			}
			keyed[r.Num] = r
		}
		if err := entries.SaveKeys(ctx, tx, record.Place{Binding: b, Side: record.Side(side)}, keyed); err != nil {
			return err
		}
	}
	return sqlite.Exec(ctx, tx, `INSERT INTO setting (binding, name, value) VALUES (?1, ?2, 'digest')`, b, sealedSetting)
}

// Sweep removes the plain values of what has ended. It turns changes into digests, empties the values of
// closed conflicts, and drops what was read of records that are in step. After that no byte of these values
// is left in the file.
func (s *Store) Sweep(ctx context.Context, b record.Binding) error {
	err := s.db.Write(ctx, "keep digests of what ended in "+string(b), func(ctx context.Context, tx *sql.Tx) error {
		ctx = sqlite.WithSeal(ctx, s.db.SealOf(b))
		if err := journal.Seal(ctx, tx, b); err != nil {
			return err
		}
		rows, err := entries.Where(ctx, tx, `e.binding = ?1 AND e.link IS NOT NULL AND e.seen IS NOT NULL`, b)
		if err != nil {
			return err
		}
		for _, r := range rows {
			if !r.DropKnown() {
				continue
			}
			if err := entries.Save(ctx, tx, r); err != nil {
				return err
			}
		}
		return sqlite.Exec(ctx, tx, `UPDATE question SET left_value = '', right_value = '', base_value = '', value = ''
			WHERE binding = ?1 AND closed IS NOT NULL AND link <> 0 AND (left_value <> '' OR right_value <> '' OR value <> '')`, b)
	})
	if err != nil {
		return err
	}
	return s.truncate(ctx)
}

// truncate empties the write-ahead log. If a reader is in the way, the end of the next run does it.
func (s *Store) truncate(ctx context.Context) error {
	_, err := s.db.Writer.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`)
	return s.db.Explain("empty the log of the state", err)
}
