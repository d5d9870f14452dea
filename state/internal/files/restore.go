package files

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"nightporter/state/internal/disk"
	"nightporter/state/internal/sqlite"
	"nightporter/sync/record"
)

// adoptOnly makes every binding adopt-only, also those of jobs to come. The moment that it stores is always later
// than the one before, whatever the clock says: what was compared before counts no more. Answers of persons may
// have been carried out since, so all of them are asked for again.
func adoptOnly(ctx context.Context, tx *sql.Tx, since time.Time) error {
	err := sqlite.Exec(ctx, tx, `INSERT INTO adopt_only (binding, since) VALUES ('', ?1)
		ON CONFLICT (binding) DO UPDATE SET since = max(since + 1, excluded.since)`, since.UnixMilli())
	if err != nil {
		return err
	}
	for _, query := range []string{
		`UPDATE link SET doubted = 1`,
		`UPDATE question SET choice = '', value = '', who = '', chosen = NULL WHERE closed IS NULL AND choice NOT IN ('', '` + string(record.Refusal) + `')`,
		// A rejected change may have been put back and made again since: it is asked about, however small it is.
		`UPDATE member SET state = '` + record.StagedBack + `' WHERE state = '' AND question IN (
			SELECT id FROM question WHERE closed IS NULL AND choice = '` + string(record.Refusal) + `')`,
	} {
		if err := sqlite.Exec(ctx, tx, query); err != nil {
			return err
		}
	}
	return nil
}

// Restored is what Restore put in place.
type Restored struct {
	sqlite.Copy
	Aside string // where the replaced file is now, "" if there was none
}

// known is what the replaced state file knew. The term and the epochs of the new file must be higher.
type known struct {
	links  int64
	term   int64
	epochs map[record.Binding]int64
}

// Restore puts a verified copy of a state in the place of the state file to. It refuses while anybody runs jobs
// there (ErrInUse) and, unless forced, if links would be forgotten (ErrHasLinks). A file that was there is
// moved aside. The restored state knows less than the systems. So it is adopt-only from now on (see AdoptOnly),
// scans begin again, and no lease that was given out before holds any more, neither one of the copy nor one of
// the replaced file.
func Restore(ctx context.Context, file, to string, force bool, now time.Time) (Restored, error) {
	doing := "restore state from " + file
	if _, err := sqlite.Inspect(ctx, file); err != nil {
		return Restored{}, fmt.Errorf("%s: %w", doing, err)
	}
	if same(file, to) {
		return Restored{}, fmt.Errorf("%s: it is the state file itself: name the copy", doing)
	}
	if _, err := os.Stat(filepath.Dir(to)); err != nil {
		return Restored{}, fmt.Errorf("%s: make the folder of the state file first: %w", doing, err)
	}
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
	c, err := prepareRestored(ctx, file, part, old, now)
	if err != nil {
		return Restored{}, errors.Join(fmt.Errorf("%s: %w", doing, err), disk.Remove(part))
	}
	r := Restored{Copy: c}
	if r.Aside, err = moveAside(to, now); err != nil {
		return Restored{}, fmt.Errorf("%s: %w", doing, err)
	}
	if err := os.Remove(sqlite.GenerationName(to)); err != nil && !errors.Is(err, fs.ErrNotExist) { // the restored state says itself that it was put back
		return Restored{}, fmt.Errorf("%s: %w", doing, err)
	}
	if err := errors.Join(os.Rename(part, to), disk.SyncFolder(filepath.Dir(to))); err != nil {
		return Restored{}, fmt.Errorf("%s: %w", doing, err)
	}
	r.File = to
	return r, nil
}

func same(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// lookAt reads what a state file knows that is to be replaced. Only by force is a file replaced that has links, or
// that can't be read.
func lookAt(ctx context.Context, to string, force bool) (known, error) {
	k := known{epochs: map[record.Binding]int64{}}
	info, err := os.Stat(to)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return k, nil
	}
	if err != nil {
		return k, err
	}
	s := &sqlite.DB{Path: to}
	if err := s.RollBack(ctx); err != nil && !force {
		return k, fmt.Errorf("%s is there and can't be read: %w: %w", to, sqlite.ErrHasLinks, s.Explain("look at it", err))
	}
	db := sql.OpenDB(sqlite.Connector{DSN: sqlite.CopyDSN(to), ReadOnly: true})
	defer db.Close()
	if err := k.read(ctx, db); err != nil {
		if force {
			return k, nil
		}
		return k, fmt.Errorf("%s is there and can't be read: %w: %w", to, sqlite.ErrHasLinks, s.Explain("look at it", err))
	}
	if k.links > 0 && !force {
		return k, fmt.Errorf("%s holds %d links: %w", to, k.links, sqlite.ErrHasLinks)
	}
	return k, nil
}

func (k *known) read(ctx context.Context, q sqlite.Querier) error {
	if err := q.QueryRowContext(ctx, `SELECT count(*) FROM link`).Scan(&k.links); err != nil {
		return err
	}
	type epoch struct {
		binding record.Binding
		n       int64
	}
	epochs, err := sqlite.Collect(ctx, q, func(rows *sql.Rows) (e epoch, err error) {
		err = rows.Scan(&e.binding, &e.n)
		return e, err
	}, `SELECT binding, epoch FROM binding`)
	if err != nil {
		return err
	}
	for _, e := range epochs {
		k.epochs[e.binding] = e.n
	}
	var has bool
	err = q.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'holder')`).Scan(&has)
	if err != nil || !has {
		return err
	}
	return q.QueryRowContext(ctx, `SELECT coalesce(max(term), 0) FROM holder`).Scan(&k.term)
}

// prepareRestored makes the file that is to be put in place.
func prepareRestored(ctx context.Context, file, part string, old known, now time.Time) (sqlite.Copy, error) {
	from := sql.OpenDB(sqlite.Connector{DSN: sqlite.CopyDSN(file), ReadOnly: true})
	_, err := sqlite.CopyVerified(ctx, from, part, disk.Room)
	if err := errors.Join(err, from.Close()); err != nil {
		return sqlite.Copy{}, err
	}
	s, err := sqlite.Open(ctx, part, sqlite.Options{NoCopy: true})
	if err != nil {
		return sqlite.Copy{}, err
	}
	err = s.Write(ctx, "mark as restored", func(ctx context.Context, tx *sql.Tx) error {
		return markRestored(ctx, tx, old, now)
	})
	if err := errors.Join(err, s.Close()); err != nil {
		return sqlite.Copy{}, err
	}
	if err := withoutLog(ctx, part); err != nil {
		return sqlite.Copy{}, err
	}
	f, err := os.OpenFile(part, os.O_RDWR, 0o600) //nolint:gosec // the path is the user's own
	if err != nil {
		return sqlite.Copy{}, err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return sqlite.Copy{}, err
	}
	return sqlite.Inspect(ctx, part)
}

// withoutLog makes one file of a state and its write-ahead log, so that it can be moved. Nobody may
// have the state open.
func withoutLog(ctx context.Context, file string) error {
	db := sql.OpenDB(sqlite.Connector{DSN: sqlite.DSN(file, "mode=rw"), ReadOnly: true})
	var mode string
	err := db.QueryRowContext(ctx, `PRAGMA journal_mode = DELETE`).Scan(&mode)
	if err == nil && mode != "delete" {
		err = sqlite.ErrBusy
	}
	return errors.Join(err, db.Close())
}

func markRestored(ctx context.Context, tx *sql.Tx, old known, now time.Time) error {
	if err := adoptOnly(ctx, tx, now); err != nil {
		return err
	}
	for _, query := range []string{
		`UPDATE binding SET epoch = epoch + 1`,
		`DELETE FROM presence`,
	} {
		if err := sqlite.Exec(ctx, tx, query); err != nil {
			return err
		}
	}
	for b, n := range old.epochs {
		if err := sqlite.Exec(ctx, tx, `UPDATE binding SET epoch = max(epoch, ?2 + 1) WHERE binding = ?1`, b, n); err != nil {
			return err
		}
	}
	for _, query := range []string{
		`UPDATE scan SET ended = ?1, abandoned = 1 WHERE ended IS NULL`,
		`UPDATE request SET ended = ?1, outcome = '` + string(record.Withdrawn) + `', error = 'the state was restored'
			WHERE ended IS NULL`,
	} {
		if err := sqlite.Exec(ctx, tx, query, now.UnixMilli()); err != nil {
			return err
		}
	}
	return sqlite.Exec(ctx, tx, `INSERT INTO holder (one, term, pid, host, command, since, beat) VALUES (1, ?1, 0, '', 'restore', ?2, ?2)
		ON CONFLICT (one) DO UPDATE SET term = max(term, excluded.term - 1) + 1`, old.term+1, now.UnixMilli())
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// moveAside renames the state file that is to be replaced, with its log and the journal of a killed process: left
// there, they would be taken for the new file's. It returns the new name, "" if there was no state file.
func moveAside(to string, now time.Time) (string, error) {
	base := to + ".replaced-" + now.UTC().Format("2006-01-02T150405Z")
	aside := base
	for n := 2; exists(aside); n++ { // twice within a second
		aside = fmt.Sprintf("%s-%d", base, n)
	}
	moved := ""
	for _, end := range []string{"", "-wal", "-journal"} {
		switch err := os.Rename(to+end, aside+end); {
		case err == nil && end == "":
			moved = aside
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return "", err
		}
	}
	if err := os.Remove(to + "-shm"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	return moved, nil
}
