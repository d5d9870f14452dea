package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/gofrs/flock"
)

// Partial is added to the name of a copy that is not finished or not verified yet.
const Partial = ".part"

// Remove removes an unfinished database, and the files that SQLite keeps beside it.
func Remove(part string) error {
	for _, name := range []string{part, part + "-journal", part + "-wal", part + "-shm"} {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// SyncFolder makes a rename in a folder durable, if the system can do that.
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

// The files beside the state file have names that can be guessed. Somebody who may write in that folder could put a
// link there, and have us write, or lock, another file. So we write only files that we have made ourselves, and
// follow no link to a lock.

// ErrLink says that there is a link in the place of our lock file.
var ErrLink = errors.New("it is a link, and a lock of ours is none: remove it")

// OpenNew makes a new file of ours. A file or link that had its name is removed, and not written to.
func OpenNew(name string) (*os.File, error) {
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) //nolint:gosec // the path is the user's own
}

// WriteNew makes a new file with OpenNew, and writes b to it.
func WriteNew(name string, b []byte) error {
	f, err := OpenNew(name)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	return errors.Join(err, f.Close())
}

// openLock returns a lock on a file of ours that is not taken yet. If the file is a link the error is ErrLink.
func openLock(name string, flag int) (*flock.Flock, error) {
	if info, err := os.Lstat(name); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return nil, fmt.Errorf("open %s: %w", name, ErrLink)
	}
	return flock.New(name, flock.SetPermissions(0o600), flock.SetFlag(flag|noFollow)), nil
}
