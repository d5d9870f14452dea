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

// Backup writes a copy of the whole state to file, beside whoever runs jobs. The name
// appears only when the copy is durable and was verified by opening it. A file that
// is there already is os.ErrExist; ErrNoRoom says how much is missing.
func (s *Store) Backup(ctx context.Context, file string) (sqlite.Copy, error) {
	if _, err := os.Lstat(file); err == nil {
		return sqlite.Copy{}, fmt.Errorf("back up state: %s: %w: choose another name", file, os.ErrExist)
	}
	return s.db.Backup(ctx, file)
}

const backupName = "nightporter-2006-01-02T150405Z.db"

// BackupName is the name of a backup made at a moment. Names sort by time.
func BackupName(now time.Time) string { return now.UTC().Format(backupName) }

// isBackup finds what was named by BackupName, finished or not.
func isBackup(e fs.DirEntry) bool {
	_, err := time.Parse(backupName, strings.TrimSuffix(e.Name(), disk.Partial))
	return err == nil && e.Type().IsRegular()
}

// LastBackup is when the newest finished backup of a folder was made, by its name; zero
// where there is none, or no folder.
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

// Rotate deletes from a folder all backups with names of BackupName's but the newest
// keep, at least one, and returns the names it deleted. Other files stay.
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
