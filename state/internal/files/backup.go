package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"nightporter/state/internal/disk"
	"nightporter/state/internal/sqlite"
)

// Backup writes a copy of the whole state to file, beside a process that runs jobs. The name appears only when the
// copy is durable and was verified by opening it. If the file is there already the error is os.ErrExist. ErrNoRoom
// says how much is missing.
func (s *Store) Backup(ctx context.Context, file string) (sqlite.Copy, error) {
	if _, err := os.Lstat(file); err == nil {
		return sqlite.Copy{}, fmt.Errorf("back up state: %s: %w: choose another name", file, os.ErrExist)
	}
	return s.db.Backup(ctx, file)
}

const backupName = "nightporter-2006-01-02T150405Z.db"

// BackupName is the name of a backup that is made at now. Names sort by time.
func BackupName(now time.Time) string { return now.UTC().Format(backupName) }

// isBackup reports whether a file is named as by BackupName, finished or not.
func isBackup(e fs.DirEntry) bool {
	_, err := time.Parse(backupName, strings.TrimSuffix(e.Name(), disk.Partial))
	return err == nil && e.Type().IsRegular()
}

// LastBackup returns when the newest finished backup in a folder was made, as its name says. It is zero if there is
// none, or no folder.
func LastBackup(dir string) (time.Time, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return time.Time{}, fmt.Errorf("look for backups: %w", err)
	}
	var last time.Time
	for _, e := range entries {
		if at, err := time.Parse(backupName, e.Name()); err == nil && e.Type().IsRegular() && at.After(last) {
			last = at
		}
	}
	return last, nil
}

// Rotate deletes the backups in a folder that are named as by BackupName, but for the newest: it leaves keep of
// them, and at least one. It returns the names that it deleted. Unfinished backups go, too; other files stay.
func Rotate(dir string, keep int) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("rotate backups: %w", err)
	}
	var names, deleted []string
	for _, e := range entries {
		if isBackup(e) {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	slices.Reverse(names)
	left := max(keep, 1)
	for _, name := range names {
		if filepath.Ext(name) != disk.Partial && left > 0 {
			left--
			continue
		}
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			return deleted, fmt.Errorf("rotate backups: %w", err)
		}
		deleted = append(deleted, name)
	}
	return deleted, nil
}
