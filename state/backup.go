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
	"strings"
	"time"
)

// Copy is a verified copy of a state file, or a state file that was looked at.
type Copy struct {
	File    string
	Bytes   int64
	Schema  int64
	Links   int64
	Entries int64
}

// partial is put to the name of a copy that is not finished or not verified yet.
const partial = ".part"

// Backup writes a copy of the whole state to file, beside whoever runs jobs. The name
// appears only when the copy is durable and was verified by opening it. A file that
// is there already is os.ErrExist; ErrNoRoom says how much is missing.
func (s *Store) Backup(ctx context.Context, file string) (Copy, error) {
	if _, err := os.Lstat(file); err == nil {
		return Copy{}, fmt.Errorf("back up state: %s: %w: choose another name", file, os.ErrExist)
	}
	return s.backup(ctx, file)
}

func (s *Store) backup(ctx context.Context, file string) (Copy, error) {
	doing := "back up state to " + file
	db := s.writer
	if s.path != Memory { // beside the writer, and not over a connection that may only query
		db = sql.OpenDB(connector{dsn: copyDSN(s.path), readOnly: true})
		defer db.Close()
	}
	part := file + partial
	c, err := copyVerified(ctx, db, part, s.room)
	if err == nil {
		err = os.Rename(part, file)
	}
	if err != nil {
		return Copy{}, errors.Join(s.explain(doing, err), remove(part))
	}
	c.File = file
	if err := syncFolder(filepath.Dir(file)); err != nil {
		return Copy{}, fmt.Errorf("%s: %w", doing, err)
	}
	return c, nil
}

// copyVerified copies what db holds to a file and opens that. Entries and links are
// never deleted: a whole copy has no fewer than were there before it was begun.
func copyVerified(ctx context.Context, db *sql.DB, to string, room roomFunc) (Copy, error) {
	if err := room.check(ctx, db, filepath.Dir(to)); err != nil {
		return Copy{}, err
	}
	var before Copy
	if err := before.look(ctx, db); err != nil {
		return Copy{}, err
	}
	if err := remove(to); err != nil {
		return Copy{}, err
	}
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600) //nolint:gosec // the path is the user's own
	if err != nil {
		return Copy{}, err
	}
	_, err = db.ExecContext(ctx, `VACUUM INTO ?1`, to)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return Copy{}, err
	}
	after, err := Inspect(ctx, to)
	if err == nil && (after.Schema != before.Schema || after.Links < before.Links || after.Entries < before.Entries) {
		err = fmt.Errorf("the copy holds %d links and %d records of at least %d and %d: %w",
			after.Links, after.Entries, before.Links, before.Entries, ErrCorrupt)
	}
	return after, err
}

func remove(part string) error {
	for _, name := range []string{part, part + "-journal", part + "-wal", part + "-shm"} {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// look reads what tells one copy from another.
func (c *Copy) look(ctx context.Context, q querier) error {
	return q.QueryRowContext(ctx, `SELECT (SELECT max(version_id) FROM `+versionTable+`),
		(SELECT coalesce(max(id), 0) FROM link), (SELECT coalesce(max(num), 0) FROM entry)`).
		Scan(&c.Schema, &c.Links, &c.Entries)
}

// Inspect opens a copy of a state file and checks that it is whole and that this
// version can go on with it. It changes nothing.
func Inspect(ctx context.Context, file string) (Copy, error) {
	s := &Store{path: file}
	c := Copy{File: file}
	info, err := os.Stat(file)
	if err != nil {
		return Copy{}, fmt.Errorf("look at %s: %w", file, err)
	}
	c.Bytes = info.Size()
	if c.Bytes == 0 {
		return Copy{}, fmt.Errorf("look at %s: it is empty: %w", file, ErrForeign)
	}
	if _, err := s.inspect(ctx, false); err != nil {
		return Copy{}, s.explain("look at copy", err)
	}
	db := sql.OpenDB(connector{dsn: copyDSN(file), readOnly: true})
	defer db.Close()
	s.writer = db
	if err := s.check(ctx); err != nil {
		return Copy{}, s.explain("look at copy", err)
	}
	if err := c.look(ctx, db); err != nil {
		return Copy{}, s.explain("look at copy", err)
	}
	return c, nil
}

// spareRoom is what must be left beside a copy, for what jobs write meanwhile.
const spareRoom = 16 << 20

// roomFunc says how many bytes may still be written into a folder, if that is known.
type roomFunc func(dir string) (free uint64, known bool, err error)

// check refuses to fill a disk that a job writes to.
func (r roomFunc) check(ctx context.Context, db *sql.DB, dir string) error {
	var pages, size uint64
	err := db.QueryRowContext(ctx, `SELECT p.page_count - f.freelist_count, s.page_size
		FROM pragma_page_count p, pragma_freelist_count f, pragma_page_size s`).Scan(&pages, &size)
	if err != nil {
		return err
	}
	need := pages*size + spareRoom
	free, known, err := r(dir)
	if err != nil {
		return fmt.Errorf("look at %s: %w", dir, err)
	}
	if known && free < need {
		return fmt.Errorf("%s: %d MB are free, %d MB are needed: %w", dir, free>>20, need>>20+1, ErrNoRoom)
	}
	return nil
}

// syncFolder makes a rename durable where the system knows how.
func syncFolder(dir string) error {
	d, err := os.Open(dir) //nolint:gosec // the path is the user's own
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fs.ErrPermission) && !errors.Is(err, fs.ErrInvalid) {
		return err
	}
	return nil
}

const backupName = "nightporter-2006-01-02T150405Z.db"

// BackupName is the name of a backup made at a moment. Names sort by time.
func BackupName(now time.Time) string { return now.UTC().Format(backupName) }

// isBackup finds what was named by BackupName, finished or not.
func isBackup(e fs.DirEntry) bool {
	_, err := time.Parse(backupName, strings.TrimSuffix(e.Name(), partial))
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
		if filepath.Ext(name) != partial && left > 0 {
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
