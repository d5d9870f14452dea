package file

import (
	"context"
	"errors"
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

const lockRetry = 5 * time.Millisecond

// lock has only one process, and one call, write a file at a time.
func (c *Conn) lock(ctx context.Context, k *kind) (release func(), err error) {
	return held(ctx, flock.New(c.beside(k, "lock"), flock.SetPermissions(0o660)), (*flock.Flock).TryLockContext)
}

func held(ctx context.Context, l *flock.Flock, try func(*flock.Flock, context.Context, time.Duration) (bool, error)) (func(), error) {
	if _, err := try(l, ctx, lockRetry); err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	return func() { _ = l.Close() }, nil
}

// toRead takes back what a write that was killed has left, and keeps ours away while a
// file is read. Where nobody has ever written there is no lock, and none is made.
func (c *Conn) toRead(ctx context.Context, k *kind) (release func(), err error) {
	nothing := func() {}
	if k.Write == Never {
		return nothing, nil
	}
	if c.noted(k) {
		release, err := c.lock(ctx, k)
		if err != nil {
			return nil, err
		}
		err = c.mend(k)
		release()
		if err != nil {
			return nil, err
		}
	}
	if _, err := os.Stat(c.beside(k, "lock")); errors.Is(err, fs.ErrNotExist) {
		return nothing, nil
	}
	return held(ctx, flock.New(c.beside(k, "lock")), (*flock.Flock).TryRLockContext)
}
