package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/gofrs/flock"
)

// Partial is put to the name of a copy that is not finished or not verified yet.
const Partial = ".part"

// Remove removes a database that was not finished, and the files that SQLite keeps beside it.
func Remove(part string) error {
	for _, name := range []string{part, part + "-journal", part + "-wal", part + "-shm"} {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// SyncFolder makes a rename durable where the system knows how.
func SyncFolder(dir string) error {
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

// What stands beside the state file has names that can be guessed. Who may write in that
// folder could put a link there, and have us write, or lock, another file. So we write
// only what we have made ourselves, and follow no link to a lock.

// ErrLink is that a link stands where a lock of ours belongs.
var ErrLink = errors.New("it is a link, and a lock of ours is none: remove it")

// OpenNew makes a file of ours. What had its name is taken away, and not written to.
func OpenNew(name string) (*os.File, error) {
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) //nolint:gosec // the path is the user's own
}

// WriteNew is OpenNew with what is written there.
func WriteNew(name string, b []byte) error {
	f, err := OpenNew(name)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	return errors.Join(err, f.Close())
}

// openLock is a lock of ours that is not taken yet.
func openLock(name string, flag int) (*flock.Flock, error) {
	if info, err := os.Lstat(name); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return nil, fmt.Errorf("open %s: %w", name, ErrLink)
	}
	return flock.New(name, flock.SetPermissions(0o600), flock.SetFlag(flag|noFollow)), nil
}
