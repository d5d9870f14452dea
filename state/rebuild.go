package state

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Rebuild puts an empty state in the place of one that is lost or damaged beyond all
// backups. What is there is moved aside; if it knows links, or can't be read, only by
// force. The new state is adopt-only (see AdoptOnly): what both sides have is linked
// anew, by our marks and by match, before anything is created.
func Rebuild(ctx context.Context, to string, force bool, now time.Time) (Restored, error) {
	doing := "rebuild state " + to
	lock, err := acquire(ctx, to, lockPatience)
	if err != nil {
		return Restored{}, fmt.Errorf("%s: %w", doing, err)
	}
	defer lock.Close()
	old, err := lookAt(ctx, to, force)
	if err != nil {
		return Restored{}, fmt.Errorf("%s: %w", doing, err)
	}
	old.term = max(old.term, readHolder(lockName(to)).Term)
	part := to + partial
	c, err := prepareEmpty(ctx, part, old, now)
	if err != nil {
		return Restored{}, errors.Join(fmt.Errorf("%s: %w", doing, err), remove(part))
	}
	r := Restored{Copy: c}
	if r.Aside, err = moveAside(to, now); err != nil {
		return Restored{}, fmt.Errorf("%s: %w", doing, err)
	}
	if err := os.Remove(generationName(to)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Restored{}, fmt.Errorf("%s: %w", doing, err)
	}
	if err := errors.Join(os.Rename(part, to), syncFolder(filepath.Dir(to))); err != nil {
		return Restored{}, fmt.Errorf("%s: %w", doing, err)
	}
	r.File = to
	return r, nil
}

// prepareEmpty makes the file that is to be put in place.
func prepareEmpty(ctx context.Context, part string, old known, now time.Time) (Copy, error) {
	if err := remove(part); err != nil {
		return Copy{}, err
	}
	s, err := Open(ctx, part, Options{noCopy: true})
	if err != nil {
		return Copy{}, err
	}
	err = s.write(ctx, "mark as rebuilt", func(ctx context.Context, tx *sql.Tx) error { return markRestored(ctx, tx, old, now) })
	if err := errors.Join(err, s.Close()); err != nil {
		return Copy{}, err
	}
	if err := withoutLog(ctx, part); err != nil {
		return Copy{}, err
	}
	return Inspect(ctx, part)
}

// Rename makes this state the successor of an installation, so that it knows the marks
// that were left by it. A state that has links has left marks of its own (ErrHasLinks).
func (s *Store) Rename(ctx context.Context, install string) error {
	return s.write(ctx, "name install", func(ctx context.Context, tx *sql.Tx) error {
		var links int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM link`).Scan(&links); err != nil {
			return err
		}
		if links > 0 {
			return fmt.Errorf("it has %d links: %w", links, ErrHasLinks)
		}
		return exec(ctx, tx, `INSERT INTO setting (binding, name, value) VALUES ('', ?1, ?2)
			ON CONFLICT (binding, name) DO UPDATE SET value = excluded.value`, installSetting, install)
	})
}

// Newest is the newest backup in a folder that is whole, and the names of those after it
// that are not.
func Newest(ctx context.Context, dir string) (c Copy, damaged []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return c, nil, fmt.Errorf("look for backups: %w", err)
	}
	for _, e := range slices.Backward(entries) {
		if !isBackup(e) || filepath.Ext(e.Name()) == partial {
			continue
		}
		if c, err = Inspect(ctx, filepath.Join(dir, e.Name())); err == nil {
			return c, damaged, nil
		}
		damaged = append(damaged, e.Name())
	}
	return Copy{}, damaged, fmt.Errorf("look for backups in %s: none is whole: %w", dir, fs.ErrNotExist)
}
