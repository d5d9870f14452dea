package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/gofrs/flock"
)

// What stands beside the state file has names that can be guessed. Who may write in that
// folder could put a link there, and have us write, or lock, another file. So we write
// only what we have made ourselves, and follow no link to a lock.

// errLink is that a link stands where a lock of ours belongs.
var errLink = errors.New("it is a link, and a lock of ours is none: remove it")

// openNew makes a file of ours. What had its name is taken away, and not written to.
func openNew(name string) (*os.File, error) {
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) //nolint:gosec // the path is the user's own
}

// writeNew is openNew with what is written there.
func writeNew(name string, b []byte) error {
	f, err := openNew(name)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	return errors.Join(err, f.Close())
}

// openLock is a lock of ours that is not taken yet.
func openLock(name string, flag int) (*flock.Flock, error) {
	if info, err := os.Lstat(name); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return nil, fmt.Errorf("open %s: %w", name, errLink)
	}
	return flock.New(name, flock.SetPermissions(0o600), flock.SetFlag(flag|noFollow)), nil
}
