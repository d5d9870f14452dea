package disk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/gofrs/flock"
)

// ErrInUse says that another process runs jobs on the state file.
var ErrInUse = errors.New("the state file is in use by another nightporter: stop that one first, or use its commands beside it")

// Holder is the process that runs jobs on a state file.
type Holder struct {
	PID     int       `json:"pid"`
	Host    string    `json:"host"`
	Command string    `json:"command,omitempty"`
	Since   time.Time `json:"since"`
	Beat    time.Time `json:"-"`              // its last sign of life
	Term    int64     `json:"term,omitempty"` // higher than that of any earlier holder
}

// String names the holder in a way that a person can look for it.
func (h Holder) String() string {
	if h.PID == 0 {
		return "its holder can't be told"
	}
	text := fmt.Sprintf("held by process %d on %s since %s", h.PID, h.Host, h.Since.Format(time.RFC3339))
	if h.Command != "" {
		text += ": " + h.Command
	}
	return text
}

// HeldError is ErrInUse, and names the holder of the state file.
type HeldError struct{ Holder Holder }

// Error says who holds it and what to do.
func (e *HeldError) Error() string { return fmt.Sprintf("%v (%v)", ErrInUse, e.Holder) }

// Unwrap is ErrInUse.
func (e *HeldError) Unwrap() error { return ErrInUse }

// A process that only looks whether the file is held has the lock for a moment, so others wait a little for it.
const (
	LockPatience = 300 * time.Millisecond
	LockRetry    = 20 * time.Millisecond
)

// Self is this process, as a holder.
func Self(command string, now time.Time) Holder {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	now = now.UTC().Truncate(time.Second)
	return Holder{PID: os.Getpid(), Host: host, Command: command, Since: now, Beat: now}
}

// LockName is the name of the lock file beside the state. Only a lock on that file counts, not that the file is
// there. It stays when nobody holds it: a lock belongs to a file, not to a name.
func LockName(path string) string { return path + ".lock" }

// Acquire locks the file beside the state, or fails with a HeldError once patience is
// over.
func Acquire(ctx context.Context, path string, patience time.Duration) (*flock.Flock, error) {
	name := LockName(path)
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		f, err := openLock(name, os.O_CREATE)
		if err != nil {
			return nil, err
		}
		got, err := f.TryLockContext(ctx, LockRetry)
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			return nil, fmt.Errorf("lock %s: %w", name, &HeldError{Holder: ReadHolder(name)})
		case err != nil || !got:
			return nil, fmt.Errorf("lock %s: %w", name, err)
		case Stands(f, name):
			return f, nil
		}
		if err := f.Close(); err != nil { // another process took over meanwhile: another file has the name
			return nil, fmt.Errorf("lock %s: %w", name, err)
		}
	}
}

// Stands reports whether the locked file still has its name. If another process took over, it has not.
func Stands(f *flock.Flock, name string) bool {
	locked, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(name)
	return err == nil && os.SameFile(locked, named)
}

// Seize puts a new lock file, locked by us, in the place of one that another process has locked.
func Seize(path string) (*flock.Flock, error) {
	name := LockName(path)
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("take over %s: end the process that holds it, %w", name, err)
	}
	f, err := openLock(name, os.O_CREATE)
	if err != nil {
		return nil, err
	}
	got, err := f.TryLock()
	if err == nil && !got {
		err = ErrInUse
	}
	if err != nil {
		return nil, fmt.Errorf("take over %s: %w", name, err)
	}
	return f, nil
}

// ReadHolder returns the holder that a lock file names, the zero value if it names none.
func ReadHolder(name string) (h Holder) {
	b, err := os.ReadFile(name) //nolint:gosec // the path is the user's own
	if err != nil || json.Unmarshal(b, &h) != nil {
		return Holder{}
	}
	return h
}

// WriteHolder writes into the lock file who holds it. It writes in place: a file that is put over it would be
// another file, and not the locked one.
func WriteHolder(name string, h Holder) error {
	b, err := json.Marshal(h)
	if err == nil {
		err = overwrite(name, b)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// overwrite writes a file anew, and follows no link.
func overwrite(name string, b []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|noFollow, 0o600) //nolint:gosec // the path is the user's own
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	return errors.Join(err, f.Close())
}

// HeldByOther reports whether another process has the lock. It takes a shared lock for a moment: several processes
// that only look can have one at the same time.
func HeldByOther(ctx context.Context, path string) (bool, error) {
	name := LockName(path)
	if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	ctx, cancel := context.WithTimeout(ctx, LockPatience)
	defer cancel()
	f, err := openLock(name, os.O_RDONLY)
	if err != nil {
		return false, err
	}
	got, err := f.TryRLockContext(ctx, LockRetry)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return true, nil
	case err != nil || !got:
		return false, fmt.Errorf("look at %s: %w", name, err)
	}
	return false, f.Close()
}
