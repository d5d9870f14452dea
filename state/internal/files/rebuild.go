package files

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

	"nightporter/state/internal/disk"
	"nightporter/state/internal/sqlite"
)

// Rebuild puts an empty state in the place of one that is lost or damaged, when no backup helps. A file that is
// there is moved aside; if it knows links, or can't be read, only when forced. The new state is adopt-only (see
// AdoptOnly): what both sides have is linked again, by our marks and by match, before anything is created.
func Rebuild(ctx context.Context, to string, force bool, now time.Time) (Restored, error) {
	doing := "rebuild state " + to
	lock, err := disk.Acquire(ctx, to, disk.LockPatience)
	if err != nil {
		return Restored{}, fmt.Errorf("%s: %w", doing, err)
	}
	defer lock.Close()
	old, err := lookAt(ctx, to, force)
	if err != nil {
		return Restored{}, fmt.Errorf("%s: %w", doing, err)
	}
	old.term = max(old.term, disk.ReadHolder(disk.LockName(to)).Term)
	part := to + disk.Partial
	c, err := prepareEmpty(ctx, part, old, now)
	if err != nil {
		return Restored{}, errors.Join(fmt.Errorf("%s: %w", doing, err), disk.Remove(part))
	}
	r := Restored{Copy: c}
	if r.Aside, err = moveAside(to, now); err != nil {
		return Restored{}, fmt.Errorf("%s: %w", doing, err)
	}
	if err := os.Remove(sqlite.GenerationName(to)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Restored{}, fmt.Errorf("%s: %w", doing, err)
	}
	if err := errors.Join(os.Rename(part, to), disk.SyncFolder(filepath.Dir(to))); err != nil {
		return Restored{}, fmt.Errorf("%s: %w", doing, err)
	}
	r.File = to
	return r, nil
}

// prepareEmpty makes the empty file that is to be put in place.
func prepareEmpty(ctx context.Context, part string, old known, now time.Time) (sqlite.Copy, error) {
	if err := disk.Remove(part); err != nil {
		return sqlite.Copy{}, err
	}
	s, err := sqlite.Open(ctx, part, sqlite.Options{NoCopy: true})
	if err != nil {
		return sqlite.Copy{}, err
	}
	err = s.Write(ctx, "mark as rebuilt", func(ctx context.Context, tx *sql.Tx) error { return markRestored(ctx, tx, old, now) })
	if err := errors.Join(err, s.Close()); err != nil {
		return sqlite.Copy{}, err
	}
	if err := withoutLog(ctx, part); err != nil {
		return sqlite.Copy{}, err
	}
	return sqlite.Inspect(ctx, part)
}

// Newest returns the newest backup in a folder that is whole, and the names of newer ones that are not.
func Newest(ctx context.Context, dir string) (c sqlite.Copy, damaged []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return c, nil, fmt.Errorf("look for backups: %w", err)
	}
	for _, e := range slices.Backward(entries) {
		if !isBackup(e) || filepath.Ext(e.Name()) == disk.Partial {
			continue
		}
		if c, err = sqlite.Inspect(ctx, filepath.Join(dir, e.Name())); err == nil {
			return c, damaged, nil
		}
		damaged = append(damaged, e.Name())
	}
	return sqlite.Copy{}, damaged, fmt.Errorf("look for backups in %s: none is whole: %w", dir, fs.ErrNotExist)
}
