package file

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/gofrs/flock"
)

// What stands beside a file that is written: a lock, a note of an append that has
// begun, and a new file that is to take the old one's place. Their names begin with a
// dot, so that no pattern meets them.
func (c *Conn) beside(k *kind, what string) string {
	return c.path("." + k.Name + ".nightporter-" + what)
}

// lockRetry is how often the lock is tried.
const lockRetry = 5 * time.Millisecond

// lock has only one process, and one call, write a file at a time.
func (c *Conn) lock(ctx context.Context, k *kind) (release func(), err error) {
	name := c.beside(k, "lock")
	if info, err := os.Lstat(name); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return nil, fmt.Errorf("lock: %s is a link, and a lock of ours is none: remove it", name)
	}
	l := flock.New(name, flock.SetPermissions(0o660), flock.SetFlag(os.O_CREATE|noFollow))
	if _, err := l.TryLockContext(ctx, lockRetry); err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	return func() { _ = l.Close() }, nil
}

// tidy waits for an append that has begun, and takes back what one that was killed has
// left.
func (c *Conn) tidy(ctx context.Context, k *kind) error {
	if !c.noted(k) {
		return nil
	}
	release, err := c.lock(ctx, k)
	if err != nil {
		return err
	}
	defer release()
	return c.mend(k)
}
