package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"nightporter/state/internal/disk"
)

// Copy describes a verified copy of a state file, or a state file that was looked at.
type Copy struct {
	File    string
	Bytes   int64
	Schema  int64
	Links   int64
	Entries int64
}

// Backup writes a verified copy of the whole state to file. The name appears only when the copy is durable.
func (s *DB) Backup(ctx context.Context, file string) (Copy, error) {
	doing := "back up state to " + file
	db := s.Writer
	if s.Path != Memory { // a connection beside the writer, because a reader's may only query
		db = sql.OpenDB(Connector{DSN: CopyDSN(s.Path), ReadOnly: true})
		defer db.Close()
	}
	part := file + disk.Partial
	c, err := CopyVerified(ctx, db, part, s.RoomIn)
	if err == nil {
		err = os.Rename(part, file)
	}
	if err != nil {
		return Copy{}, errors.Join(s.Explain(doing, err), disk.Remove(part))
	}
	c.File = file
	if err := disk.SyncFolder(filepath.Dir(file)); err != nil {
		return Copy{}, fmt.Errorf("%s: %w", doing, err)
	}
	return c, nil
}

// CopyVerified copies what db holds to a file, and opens that file to verify it. Entries and links are never
// deleted, so a whole copy has no fewer of them than db had when the copy was begun.
func CopyVerified(ctx context.Context, db *sql.DB, to string, room roomFunc) (Copy, error) {
	if err := room.check(ctx, db, filepath.Dir(to)); err != nil {
		return Copy{}, err
	}
	var before Copy
	if err := before.look(ctx, db); err != nil {
		return Copy{}, err
	}
	if err := disk.Remove(to); err != nil {
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

// look reads what tells one copy from another: the schema, and how many links and entries there are.
func (c *Copy) look(ctx context.Context, q Querier) error {
	return q.QueryRowContext(ctx, `SELECT (SELECT max(version_id) FROM `+versionTable+`),
		(SELECT coalesce(max(id), 0) FROM link), (SELECT coalesce(max(num), 0) FROM entry)`).
		Scan(&c.Schema, &c.Links, &c.Entries)
}

// Inspect opens a copy of a state file and checks that it is whole and that this
// version can go on with it. It changes nothing.
func Inspect(ctx context.Context, file string) (Copy, error) {
	s := &DB{Path: file}
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
		return Copy{}, s.Explain("look at copy", err)
	}
	db := sql.OpenDB(Connector{DSN: CopyDSN(file), ReadOnly: true})
	defer db.Close()
	s.Writer = db
	if err := s.check(ctx); err != nil {
		return Copy{}, s.Explain("look at copy", err)
	}
	if err := c.look(ctx, db); err != nil {
		return Copy{}, s.Explain("look at copy", err)
	}
	return c, nil
}

// spareRoom is how many bytes must be left beside a copy, for what jobs write meanwhile.
const spareRoom = 16 << 20

// roomFunc says how many bytes may still be written into a folder, if that is known.
type roomFunc func(dir string) (free uint64, known bool, err error)

// check returns ErrNoRoom if a copy would fill a disk that a job writes to.
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
